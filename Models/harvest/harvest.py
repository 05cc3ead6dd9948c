#!/usr/bin/env python3
"""Makes recordings and a manifest for `earshot train` from copies of public repositories.

    harvest.py REPOSITORIES OUTPUT [--exclude CSV] [--beside CSV]

REPOSITORIES is a folder of git directories, OWNER+NAME (or OWNER+NAME/repo) each. OUTPUT gets the folder clips and
manifest.csv. Beside this script:

- sources.csv: repositories whose recordings nobody labelled, which a teacher names: a pattern of paths, how many files at
  most (spread over folders), licence and author. Rows have the source_type `unlabelled`.
- esc50.csv: clips of ESC-50 (K. J. Piczak, "ESC: Dataset for Environmental Sound Classification", 2015) whose own licence
  is CC0 or CC BY, with the label that they have here; no clip of ESC-10. They are cut into pieces of a second, 16 kHz, in
  saraalemadi/DroneAudioDataset, and put together again. A fifth of the sources is there to validate.

--exclude: a table with the column `blob`: git objects that are left out. The same bytes are taken once.
--beside: the manifest that this one will be read with: recordings of its groups (`fs` and the number at freesound.org) get
the split that they have there, so that nothing is both learnt from and validated with.
"""

import argparse
import csv
import hashlib
import io
import re
import subprocess
import sys
import wave
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ESC_REPOSITORY, ESC_FOLDER = "saraalemadi/DroneAudioDataset", "Binary_Drone_Audio/unknown/"
COLUMNS = ["file", "label", "audioset_label", "split", "group", "source_type", "licence", "author", "source_repo"]
MIN_BYTES, MAX_BYTES = 2_000, 4 << 20  # of a file


def table(file):
    with open(file, encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


class Repository:
    """The newest commit of a git directory."""

    def __init__(self, folder, name):
        root = folder / name.replace("/", "+")
        found = [p for p in (root / "repo" / ".git", root / "repo", root / ".git", root) if (p / "HEAD").is_file()]
        if not found:
            sys.exit(f"{root} holds no git directory; fetch https://github.com/{name} into it")
        self.git = ["git", "--git-dir", str(found[0]), "-c", "core.quotepath=off"]
        self.reader = None

    def files(self):
        """(path, blob) of what may be a recording."""
        listing = subprocess.run(self.git + ["ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=True).stdout
        for entry in listing.decode("utf-8", "replace").split("\0"):
            if not entry:
                continue
            facts, path = entry.split("\t", 1)
            _, _, blob, size = facts.split()
            if size.isdigit() and int(size) < MAX_BYTES and re.search(r"\.(wav|ogg|oga|mp3|flac|opus)$", path, re.I):
                yield path, blob, int(size)

    def read(self, blob):
        """The bytes, or nothing where the copy lacks them."""
        if self.reader is None:
            self.reader = subprocess.Popen(self.git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader.stdin.write(blob.encode() + b"\n")
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if head[-1] == b"missing":
            return b""
        data = self.reader.stdout.read(int(head[2]))
        self.reader.stdout.read(1)
        return data


def chosen(repository, source, unwanted):
    """(path, blob): the first files of every folder, then the second, ..., in an order that names do not decide."""
    folders = defaultdict(list)
    for path, blob, size in repository.files():
        if size >= MIN_BYTES and blob not in unwanted and re.search(source["include"], path):
            unwanted.add(blob)
            folders[path.rpartition("/")[0]].append((hashlib.sha1(path.encode()).hexdigest(), path, blob))
    ranked = [(rank, path, blob) for files in folders.values() for rank, (_, path, blob) in enumerate(sorted(files))]
    return [(path, blob) for _, path, blob in sorted(ranked)[: int(source["limit"])]]


def unlabelled(repositories, output, unwanted):
    for source in table(HERE / "sources.csv"):
        name = source["repo"]
        repository = Repository(repositories, name)
        count = 0
        for path, blob in chosen(repository, source, unwanted):
            data = repository.read(blob)
            file = output / "clips" / name.replace("/", "+") / path
            if not data:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            count += 1
            yield {"file": file.relative_to(output).as_posix(), "split": "train", "source_type": "unlabelled",
                   "group": f"{name}/{path.rpartition('/')[0]}", "licence": source["licence"],
                   "author": source["author"], "source_repo": name}
        print(f"{name} {source['include']}: {count} files", flush=True)


def joined(pieces):
    """A WAV file of several, one after another."""
    result = io.BytesIO()
    with wave.open(result, "wb") as out:
        for index, piece in enumerate(pieces):
            with wave.open(io.BytesIO(piece)) as part:
                if index == 0:
                    out.setparams(part.getparams())
                out.writeframes(part.readframes(part.getnframes()))
    return result.getvalue()


def esc50(repositories, output, unwanted, splits):
    repository = Repository(repositories, ESC_REPOSITORY)
    pieces = defaultdict(dict)
    for path, blob, _ in repository.files():
        if path.startswith(ESC_FOLDER) and blob not in unwanted:
            stem = Path(path).stem
            pieces[stem[:-1]][stem[-1]] = blob
    folder = output / "clips" / "esc50"
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for clip in table(HERE / "esc50.csv"):
        parts = pieces[clip["clip"]]
        if len(parts) != int(clip["pieces"]):
            continue
        file = folder / (clip["clip"] + ".wav")
        file.write_bytes(joined([repository.read(parts[piece]) for piece in sorted(parts)]))
        freesound = clip["freesound"]
        group = "fs" + freesound
        share = "valid" if int(hashlib.sha1(freesound.encode()).hexdigest(), 16) % 5 == 0 else "train"
        count += 1
        yield {"file": file.relative_to(output).as_posix(), "label": clip["label"], "audioset_label": clip["sound"],
               "split": splits.get(group, share), "group": group, "source_type": "real", "licence": "CC0 or CC-BY",
               "author": f"freesound.org/s/{freesound} (ESC-50)", "source_repo": ESC_REPOSITORY}
    print(f"ESC-50: {count} clips", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--exclude", type=Path, help="a table with the column blob")
    parser.add_argument("--beside", type=Path, help="a manifest whose groups keep their split")
    options = parser.parse_args()
    unwanted = {row["blob"] for row in table(options.exclude)} if options.exclude else set()
    splits = {row["group"]: row["split"] for row in table(options.beside)} if options.beside else {}
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [*esc50(options.repositories, options.output, unwanted, splits),
            *unlabelled(options.repositories, options.output, unwanted)]
    with open(options.output / "manifest.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} recordings in {options.output / 'manifest.csv'}")


if __name__ == "__main__":
    main()
