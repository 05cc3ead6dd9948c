#!/usr/bin/env python3
"""Apply reviewed label changes to a manifest.

    apply.py MANIFEST CHANGES > OUT

MANIFEST is a CSV table with at least the columns `file` and `label`. CHANGES is a CSV table with the columns
`file,label,new_label,action,reason`: `label` is what the manifest says now, `action` is one of

    relabel     the row's label becomes new_label (empty: a sound of no class)
    leave_out   the row is not written

The manifest comes out with its columns and rows in their order and its own ends of lines. A file of CHANGES that the
manifest does not have, or whose label there is another, is an error that names the file, and nothing is written; so is
a file named twice, an unknown action, or a change that changes nothing. Counts go to standard error.
"""
import csv
import io
import sys

COLUMNS = ("file", "label", "new_label", "action", "reason")


class Error(Exception):
    """Something in the tables that a person has to put right."""


def read(path, needed):
    """The rows of a CSV table as dictionaries, and its column names."""
    with open(path, encoding="utf-8", newline="") as table:
        reader = csv.DictReader(table, strict=True)
        names = reader.fieldnames or []
        missing = [name for name in needed if name not in names]
        if missing:
            raise Error(f"{path}: no column {', '.join(missing)}")
        rows = list(reader)
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise Error(f"{path}: row {number} ({row['file']}) has not {len(names)} values")
    return rows, names


def read_changes(path):
    """The changes by file."""
    changes = {}
    for row in read(path, COLUMNS)[0]:
        name = row["file"]
        if name in changes:
            raise Error(f"{path}: {name} is named twice")
        if row["action"] not in ("relabel", "leave_out"):
            raise Error(f"{path}: {name}: unknown action '{row['action']}'")
        if row["action"] == "relabel" and row["new_label"] == row["label"]:
            raise Error(f"{path}: {name}: the new label is the old one")
        if row["action"] == "leave_out" and row["new_label"]:
            raise Error(f"{path}: {name}: left out, but with a new label")
        changes[name] = row
    return changes


def apply(rows, changes):
    """The rows that stay, with their new labels."""
    kept, seen = [], set()
    for row in rows:
        change = changes.get(row["file"])
        if change:
            if row["file"] in seen:
                raise Error(f"{row['file']}: twice in the manifest")
            seen.add(row["file"])
            if row["label"] != change["label"]:
                raise Error(f"{row['file']}: the manifest says '{row['label']}', the change expects '{change['label']}'")
            if change["action"] == "leave_out":
                continue
            row = dict(row, label=change["new_label"])
        kept.append(row)
    unknown = sorted(set(changes) - seen)
    if unknown:
        raise Error(f"not in the manifest: {', '.join(unknown)}")
    return kept


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        rows, names = read(arguments[0], ("file", "label"))
        changes = read_changes(arguments[1])
        kept = apply(rows, changes)
        with open(arguments[0], "rb") as table:
            end = "\r\n" if table.readline().endswith(b"\r\n") else "\n"
    except (Error, OSError, UnicodeDecodeError, csv.Error) as error:
        print(f"apply.py: {error}", file=sys.stderr)
        return 1
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, lineterminator=end)
    writer.writeheader()
    writer.writerows(kept)
    sys.stdout.buffer.write(text.getvalue().encode("utf-8"))
    left_out = len(rows) - len(kept)
    print(f"{len(changes) - left_out} relabelled, {left_out} left out, {len(kept)} rows written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
