#!/usr/bin/env python3
"""Makes the folder `others`: short sounds that a newly taught sound must not be taken for.

    make_others.py MANIFEST OTHERS        needs numpy and ffmpeg (libvorbis)

MANIFEST is the table that train.sh reads. Of each of its classes come the loudest two seconds of up to three
recordings, of different groups of the split `train`, and of backgrounds four seconds of twelve. Only recordings in the
public domain, under CC0, or under CC BY with a known version and author are taken. OTHERS/others.csv names them all.
"""
import csv
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

RATE = 32000
SOUND_SECONDS, PER_CLASS = 2.0, 3
BACKGROUND_SECONDS, BACKGROUNDS = 4.0, 12
OWNED_BY_NOBODY = re.compile(r"CC0|Public[ -]Domain", re.IGNORECASE)
ATTRIBUTED = re.compile(r"CC[ -]BY[ -]\d")
COLUMNS = ["file", "label", "group", "source_type", "licence", "author", "source_repo"]


def may_be_given_on(row):
    licence = row["licence"]
    return bool(OWNED_BY_NOBODY.match(licence)) or bool(ATTRIBUTED.match(licence) and row["author"])


def decode(file):
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", file, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"],
        check=True, capture_output=True).stdout
    return np.frombuffer(raw, "<i2").astype(np.float64)


def loudest(samples, seconds):
    length = int(seconds * RATE)
    if len(samples) <= length:
        return 0.0
    energy = np.concatenate([[0.0], np.cumsum(samples ** 2)])
    starts = np.arange(0, len(samples) - length + 1, RATE // 20)
    return starts[np.argmax(energy[starts + length] - energy[starts])] / RATE


def cut(file, seconds, target):
    start = loudest(decode(file), seconds)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-ss", str(start), "-t", str(seconds), "-i", file, "-ac", "1", "-ar", str(RATE),
         "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact", "-c:a", "libvorbis", "-q:a", "1",
         target], check=True)


def main():
    manifest, others = map(pathlib.Path, sys.argv[1:])
    others.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    with open(manifest, newline="") as table:
        rows = [row for row in csv.DictReader(table)
                if row["split"] == "train" and may_be_given_on(row)]
    chosen = []
    for label in sorted({row["label"] for row in rows if row["label"]}):
        groups = {}
        for row in rows:
            if row["label"] == label and row["source_type"] == "real" and float(row["duration_s"]) > 0.2:
                groups.setdefault(row["group"], []).append(row)
        for group in draw.sample(sorted(groups), min(PER_CLASS, len(groups))):
            chosen.append((draw.choice(groups[group]), label, SOUND_SECONDS, "real"))
    backgrounds = {row["group"]: row for row in rows if row["source_type"] == "background"}
    for group in draw.sample(sorted(backgrounds), min(BACKGROUNDS, len(backgrounds))):
        chosen.append((backgrounds[group], "", BACKGROUND_SECONDS, "background"))
    counts, seen = {}, set()
    with open(others / "others.csv", "w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row, label, seconds, kind in chosen:
            stem = re.sub(r"[^a-z]+", "_", (label or kind).lower()).strip("_")
            name = f"{stem}_{counts.get(stem, 0) + 1}.ogg"
            cut(str(manifest.parent / row["file"]), seconds, others / name)
            sound = (others / name).read_bytes()
            if sound in seen:  # the same recording in two groups
                (others / name).unlink()
                continue
            seen.add(sound)
            counts[stem] = counts.get(stem, 0) + 1
            writer.writerow([name, label, row["group"], kind, row["licence"], row["author"], row["source_repo"]])
    print(len(seen), "recordings")


main()
