#!/usr/bin/env python3
"""Makes audioset_groups.csv, the groups that each of AudioSet's sounds belongs to.

    make_audioset_groups.py ontology.csv audioset_classes.csv default_model_sounds.csv > audioset_groups.csv

ontology.csv: mid, name, parent_mids (separated by spaces), made from the ontology.json of
https://github.com/audioset/ontology
default_model_sounds.csv: label, audioset_label: other names, which are in the groups of that label and in itself
"""
import csv, sys


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


ontology = {row["mid"]: row for row in rows(sys.argv[1])}
parents = {mid: row["parent_mids"].split() for mid, row in ontology.items()}


def depth(mid):
    return 1 + max((depth(parent) for parent in parents[mid]), default=-1)


def ancestors(mid):
    found = []
    for parent in parents[mid]:
        found += [each for each in ancestors(parent) + [parent] if each not in found]
    return found


groups = {}  # by name: names, widest first
names = [(row["mid"], row["name"]) for row in ontology.values()]
names += [(row["mid"], row["display_name"]) for row in rows(sys.argv[2])]
for mid, name in names:
    known = groups.setdefault(name, [])
    for group in sorted(ancestors(mid), key=depth):
        group = ontology[group]["name"]
        if group not in known and group != name:
            known.append(group)

for row in rows(sys.argv[3]):
    groups[row["label"]] = groups.get(row["audioset_label"], []) + [row["audioset_label"]]

print("# Groups of AudioSet's ontology, widest first: Google, https://research.google.com/audioset, CC BY-SA 4.0;")
print("# a list made from it (make_audioset_groups.py), under the same licence")
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(["label", "groups"])
writer.writerows([name, "; ".join(each)] for name, each in groups.items() if each)
