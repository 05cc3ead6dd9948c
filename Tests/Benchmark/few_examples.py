#!/usr/bin/env python3
"""How well a sound is found that was taught from a few examples.

    few_examples.py EARSHOT MANIFEST MODEL --sounds A,B,... [--same-source] [--sizes 1,3,5,10,20] [--seeds 1,2,3]
                    [--known 14] [--scenes 200] [--threads 2]

SOUNDS are classes of the manifest that MODEL does not know. For each seed a third of each sound's groups, and at least
two, are put aside. With --same-source one group of at least eight recordings is drawn for each sound, and half of it is
put aside: how well one finds again what one has marked before. `earshot teach` learns all sounds from the first examples
of the others, as many groups as there are, with each kind of row. `earshot evaluate` scores scenes of 10 s that are mixed
of what was put aside and of some of the classes that MODEL knows (--known, at most all): up to two sounds, at least 10 dB
above the background, pauses under 1 s joined. Prints a Markdown table of means over the seeds; scores are those of the
taught sounds alone.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import tempfile

SCENE_SECONDS = 10
SCENES = ["--scene-seconds", SCENE_SECONDS, "--max-events", "2", "--lowest-snr", "10", "--level-spread", "6",
          "--merge-gap", "1"]
CLIPS_OF_GROUP = 5
SAME_SOURCE = 8  # recordings of a group


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def write(file, folder, rows):
    with open(file, "w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["file", "label", "group"])
        writer.writerows([folder / row["file"], row["label"], row["group"]] for row in rows)


def divide(rows, sounds, draw, same_source):
    """Examples of each sound, one of each group after another, and what is put aside."""
    examples, aside = {}, []
    for sound in sounds:
        groups = collections.defaultdict(list)
        for row in rows:
            if row["label"] == sound:
                groups[row["group"]].append(row)
        if same_source:
            large = sorted(name for name in groups if len(groups[name]) >= SAME_SOURCE)
            group = groups[draw.choice(large)]
            clips = draw.sample(group, len(group))
            examples[sound] = clips[:len(clips) // 2]
            aside += clips[len(clips) // 2:]
            continue
        names = sorted(groups)
        draw.shuffle(names)
        count = max(2, len(names) // 3)
        for name in names[:count]:
            aside += draw.sample(groups[name], min(CLIPS_OF_GROUP, len(groups[name])))
        rest = [draw.sample(groups[name], len(groups[name])) for name in names[count:]]
        examples[sound] = [group[i] for i in range(max(map(len, rest))) for group in rest if i < len(group)]
    return examples, aside


def scores(report, sounds, seconds):
    classes = {entry["label"]: entry for entry in report["classes"]}
    def f1(kind):
        total = collections.Counter()
        for sound in sounds:
            total.update(classes[sound][kind])
        return 2 * total["true_positives"] / max(
            1, 2 * total["true_positives"] + total["false_positives"] + total["false_negatives"])
    precisions = [classes[sound]["average_precision"] for sound in sounds
                  if classes[sound]["average_precision"] is not None]
    false_seconds = sum(classes[sound]["segments_1s"]["false_positives"] for sound in sounds)
    return (f1("events_500ms"), f1("segments_1s"), sum(precisions) / len(precisions),
            3600.0 * false_seconds / len(sounds) / seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("earshot")
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("--sounds", required=True)
    parser.add_argument("--same-source", action="store_true")
    parser.add_argument("--sizes", default="1,3,5,10,20")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--known", type=int, default=14)
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--threads", default="2")
    given = parser.parse_args()
    sounds, seeds = given.sounds.split(","), [int(seed) for seed in given.seeds.split(",")]
    with open(given.manifest, newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["source_type"] == "real" and row["split"] in ("train", "valid")]
    known = json.loads(run(given.earshot, "info", given.model, "--format", "json"))["labels"]
    folder = given.manifest.parent.resolve()
    print("| examples | rows | event F1 | segment F1 | mean average precision | false seconds an hour of a sound |")
    print("|---|---|---|---|---|---|", flush=True)
    for size in map(int, given.sizes.split(",")):
        for kind in ("prototype", "trained"):
            found = []
            for seed in seeds:
                draw = random.Random(seed)
                examples, aside = divide(rows, sounds, draw, given.same_source)
                heard = set(draw.sample(known, min(given.known, len(known))))
                with tempfile.TemporaryDirectory() as place:
                    place = pathlib.Path(place)
                    write(place / "examples.csv", folder, [row for sound in sounds for row in examples[sound][:size]])
                    write(place / "aside.csv", folder,
                          aside + [row for row in rows if row["split"] == "valid" and row["label"] in heard])
                    run(given.earshot, "teach", place / "examples.csv", "--model", given.model, "--output",
                        place / "taught.safetensors", "--rows", kind, "--seed", seed, "--threads", given.threads)
                    found.append(scores(json.loads(run(
                        given.earshot, "evaluate", place / "taught.safetensors", "--data", place / "aside.csv", "--split",
                        "all", "--scenes", given.scenes, *SCENES, "--seed", seed, "--threads", given.threads, "--precision", "f32", "--format", "json",
                        "--quiet")), sounds,
                        given.scenes * SCENE_SECONDS))
            means = [sum(values) / len(values) for values in zip(*found)]
            print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.0f} |".format(size, kind, *means), flush=True)


main()
