#!/usr/bin/env python3
"""Coverage by room from gcovr's summary, and the files of ten lines or more with under 70 % of them.

usage: coverage.py SUMMARY.json TESTS_README

Exit code 1: a file under 70 % is not named in the README of the tests, where each has its reason, or one that is named
there is not under 70 % any more.
"""
import collections
import json
import re
import sys

LOWEST = 70.0
FEWEST_LINES = 10


def share(covered, total):
    return 100.0 * covered / total if total else 100.0


def room_of(file):
    parts = file.split("/")  # Source/Core/Model/Reading/Pickle.cpp
    return "/".join(parts[1:3]) if parts[1] == "Core" else parts[1]


def main():
    summary, readme = sys.argv[1:]
    with open(summary, encoding="utf-8") as file:
        files = json.load(file)["files"]
    with open(readme, encoding="utf-8") as file:
        named = set(re.findall(r"^\| `(Source/[^`]+)` \|", file.read(), re.MULTILINE))

    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    low = {}
    for entry in files:
        counts = [entry[key] for key in ("line_covered", "line_total", "branch_covered", "branch_total")]
        for name in (room_of(entry["filename"]), "all"):
            rooms[name] = [a + b for a, b in zip(rooms[name], counts)]
        if counts[1] >= FEWEST_LINES and share(*counts[:2]) < LOWEST:
            low[entry["filename"]] = counts

    print("| room | lines | branches | of lines |\n|---|---|---|---|")
    for name, counts in sorted(rooms.items()):
        print(f"| {name} | {share(*counts[:2]):.1f} % | {share(*counts[2:]):.1f} % | {counts[1]} |")
    print(f"\nFiles under {LOWEST:.0f} % of lines:")
    for name, counts in sorted(low.items()):
        print(f"  {share(*counts[:2]):5.1f} %  {counts[1]:4} lines  {name}")

    wrong = [f"{name} is under {LOWEST:.0f} %: say why in {readme}" for name in sorted(set(low) - named)]
    wrong += [f"{name} is not under {LOWEST:.0f} % any more: take it out of {readme}" for name in sorted(named - set(low))]
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
