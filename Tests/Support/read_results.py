"""Reads a result file with Python's own readers (csv, json, sqlite3) and python3-mido, and writes what it found
as one line of JSON. Exits with 77 when its reader is not installed.

    read_results.py FORMAT FILE      rows of [file, onset, offset, label]; midi: notes of [channel, note, on, off]
    read_results.py sql FILE         the database as SQL, as text
    read_results.py tables FILE      every table's rows, and the database's pragmas
"""
import csv
import json
import os
import re
import sys


def table(path, **dialect):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True, **dialect))


def plain(cell):
    """Without the apostrophe that keeps a spreadsheet from running the cell."""
    return cell[1:] if re.match("'[ '\"]*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20](?s:.)", cell) else cell


def clock(text):
    seconds = 0.0
    for part in text.split(":"):
        seconds = seconds * 60.0 + float(part)
    return seconds


def raw_lines(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read().splitlines()


def read_csv(path):
    rows = table(path)
    for row in rows:
        float(row["confidence"] or "0")
    return [[plain(row["file"]), float(row["onset_s"]), float(row["offset_s"]), plain(row["label"])] for row in rows]


def objects(rows):
    return [[row["file"], row["onset_s"], row["offset_s"], row["label"]] for row in rows]


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return objects(json.load(file))


def read_jsonl(path):
    return objects(json.loads(line) for line in raw_lines(path))


def read_audacity(path):
    rows = [line.split("\t") for line in raw_lines(path)]
    return [[None, float(onset), float(offset), label] for onset, offset, label in rows]


def read_raven(path):
    rows = table(path, delimiter="\t")
    return [[row["Begin Path"], float(row["File Offset (s)"]),
             float(row["File Offset (s)"]) + float(row["End Time (s)"]) - float(row["Begin Time (s)"]),
             row["Annotation"]] for row in rows]


def read_dcase(path):
    rows = table(path, delimiter="\t")
    return [[row["filename"], float(row["onset"]), float(row["offset"]), row["event_label"]] for row in rows]


def read_kaleidoscope(path):
    return [[os.path.join(*(plain(row[part]) for part in ["INDIR", "FOLDER", "IN FILE"])), float(row["OFFSET"]),
             float(row["OFFSET"]) + float(row["DURATION"]), plain(row["TOP1MATCH"])] for row in table(path)]


def read_reaper(path):
    return [[None, clock(row["Start"]), clock(row["End"]), plain(row["Name"])] for row in table(path)]


def read_audition(path):
    rows = table(path, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [[None, clock(row["Start"]), clock(row["Start"]) + clock(row["Duration"]), plain(row["Name"])]
            for row in rows]


def read_midi(path):
    import mido

    notes, sounding, now = [], {}, 0.0
    for message in mido.MidiFile(path):
        now += message.time
        if message.type == "note_on":
            sounding[message.channel, message.note] = now
        elif message.type == "note_off":
            on = sounding.pop((message.channel, message.note))
            notes.append([message.channel + 1, message.note, on, now])
    return sorted(notes, key=lambda note: note[2])


def database(path):
    import sqlite3

    return sqlite3.connect("file:" + path + "?mode=ro", uri=True)


def read_sqlite(path):
    return [list(row) for row in database(path).execute("SELECT file, onset_s, offset_s, label FROM results")]


def read_tables(path):
    found = database(path)
    names = [name for name, in found.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    facts = {name: [list(row) for row in found.execute(f"SELECT * FROM {name}")] for name in names}
    for pragma in ["integrity_check", "foreign_key_check", "application_id", "user_version"]:
        facts[pragma] = [list(row) for row in found.execute("PRAGMA " + pragma)]
    return facts


def main():
    kind, path = sys.argv[1:]
    try:
        if kind == "sql":
            print("\n".join(database(path).iterdump()))
        else:
            print(json.dumps(globals()["read_" + kind](path)))
    except ImportError as error:
        sys.exit(print(error, file=sys.stderr) or 77)


main()
