#!/usr/bin/env python3
"""Do words find events better with each token's own vector (--query-times token) than with a window's alone?

    words_trial.py EARSHOT MODEL CLIPS.csv FOLDER

No published CLAP weights are at hand, so this makes a CLAP model of a model that is: EARSHOT's MODEL is put under
LAION-CLAP's names, a projection (two layers, 512 values) and a vector for each of its classes are learnt from vectors of
whole windows, as CLAP learns (a softmax over cosines), and the vectors stand for texts. `earshot evaluate` then scores
scenes of the clips of CLIPS.csv whose split is "valid" with both kinds of times. Three seeds, each with its own projection
and scenes. Needs python3-torch. Takes some 20 minutes on two cores.
"""
import csv
import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import numpy
import torch

mostClips = 100  # of a class
dimensions = 512
scale = 1 / 0.07  # as CLAP begins
elsewhere = "(something else)"  # noise, hum and backgrounds: what stands for everything else


def readSafetensors(file):
    data = Path(file).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    parts = {name: (part["dtype"], part["shape"], data[8 + length :][slice(*part["data_offsets"])])
             for name, part in header.items()}
    return metadata, parts


def writeSafetensors(file, metadata, parts):
    header, blob = {"__metadata__": metadata}, b""
    for name, (kind, shape, values) in parts.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(blob), len(blob) + len(values)]}
        blob += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(file).write_bytes(struct.pack("<Q", len(text)) + text + blob)


def asClap(model, projection):
    """The model under LAION-CLAP's names, with this projection: (weight, bias) of two layers."""
    metadata, parts = readSafetensors(model)
    kept = {key: metadata[key] for key in ("earshot.config", "earshot.labels", "earshot.licence") if key in metadata}
    clap = {"audio_branch." + name: part for name, part in parts.items()}
    for layer, (weight, bias) in zip(("0", "2"), projection):
        for name, tensor in (("weight", weight), ("bias", bias)):
            values = tensor.detach().float().numpy()
            clap[f"audio_projection.{layer}.{name}"] = ("F32", values.shape, values.tobytes())
    return kept, clap


def trainClips(rows, labels):
    """(file, class) of at most mostClips of each class that are not share-alike; the last class is everything else."""
    byClass = {}
    for row in rows:
        if row["split"] != "train" or row["source_type"] == "rir":
            continue
        background = row["source_type"] == "background" or row["label"] in ("Noise", "Hum")
        if background or row["label"] in labels:
            byClass.setdefault(elsewhere if background else row["label"], []).append(row["file"])
    random.seed(0)
    chosen = []
    for label, files in sorted(byClass.items()):
        index = len(labels) if label == elsewhere else labels.index(label)
        limit = mostClips * (4 if label == elsewhere else 1)
        chosen += [(file, index) for file in random.sample(files, min(limit, len(files)))]
    return chosen


def latents(earshot, model, clips, folder):
    folder.mkdir(exist_ok=True)
    files = {f"{i}-{file.name}": (file, index) for i, (file, index) in enumerate(clips)}
    links = folder / "clips"
    links.mkdir(exist_ok=True)
    for name, (file, _) in files.items():
        if not (links / name).exists():
            (links / name).symlink_to(file)
    vectors = folder / "vectors"
    if not vectors.exists():
        subprocess.run([earshot, "embed", links, "--kind", "latent", "--model", model, "--hop", "5", "--quiet",
                        "--output-dir", vectors], check=True)
    rows, classes = [], []
    for name, (_, index) in files.items():
        array = vectors / (name + ".embeddings.npy")
        if array.exists():
            windows = numpy.load(array)[:4]
            rows.append(windows)
            classes += [index] * len(windows)
    return torch.from_numpy(numpy.concatenate(rows)), torch.tensor(classes)


def learn(x, y, count, seed):
    torch.manual_seed(seed)
    first, second = torch.nn.Linear(x.shape[1], dimensions), torch.nn.Linear(dimensions, dimensions)
    texts = torch.nn.Parameter(torch.randn(count, dimensions) / dimensions**0.5)
    frequency = torch.bincount(y, minlength=count).clamp(min=1).float()
    weights = (1 / frequency)[y]
    steps = [first, second]
    optimiser = torch.optim.AdamW([p for layer in steps for p in layer.parameters()] + [texts], 1e-3, weight_decay=0.05)
    for step in range(3000):
        chosen = torch.multinomial(weights, 256, replacement=True)
        noisy = x[chosen] + 0.1 * x.std(0) * torch.randn(256, x.shape[1])
        z = torch.nn.functional.normalize(second(torch.relu(first(noisy))), dim=1)
        cosines = z @ torch.nn.functional.normalize(texts, dim=1).T
        loss = torch.nn.functional.cross_entropy(scale * cosines, y[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * (1 - step / 3000)
    print(f"seed {seed}: loss {loss.item():.3f}", flush=True)
    return [(layer.weight, layer.bias) for layer in steps], texts.detach().numpy()


def main():
    earshot, model, clips, folder = (Path(argument).absolute() for argument in sys.argv[1:5])
    folder.mkdir(parents=True, exist_ok=True)
    labels = json.loads(readSafetensors(model)[0]["earshot.labels"])
    rows = [{**row, "file": clips.parent / row["file"]} for row in csv.DictReader(clips.open(newline=""))]
    x, y = latents(earshot, model, trainClips(rows, labels), folder)
    print(f"{len(x)} windows", flush=True)
    scored = folder / "valid.csv"
    with scored.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(row for row in rows if row["split"] == "valid" and row["source_type"] == "real" and row["label"] in labels)
    for seed in (1, 2, 3):
        projection, texts = learn(x, y, len(labels) + 1, seed)
        clap = folder / f"clap{seed}.safetensors"
        writeSafetensors(clap, *asClap(model, projection))
        numpy.save(folder / f"texts{seed}.npy", texts)
        (folder / f"texts{seed}.txt").write_text("\n".join(labels + [elsewhere]) + "\n")
        for hop in ("2.56", "0.64"):
            for times in ("window", "token"):
                result = subprocess.run(
                    [earshot, "evaluate", clap, "--data", scored, "--split", "all", "--scenes", "100", "--precision", "f32", "--max-events", "2",
                     "--lowest-snr", "10", "--level-spread", "6", "--merge-gap", "1", "--seed", str(seed), "--hop", hop,
                     "--queries", folder / f"texts{seed}.npy", "--query-times", times, "--thresholds", "best", "--format",
                     "json", "--quiet"], check=True, capture_output=True, text=True)
                (folder / f"{seed}-{hop}-{times}.json").write_text(result.stdout)
                scores = json.loads(result.stdout)
                f1 = [scores[kind]["f1"] for kind in ("events_500ms", "events_200ms", "segments_1s")]
                print(f"seed {seed}, hop {hop} s, {times}: event F1 {f1[0]:.3f} (0.5 s), {f1[1]:.3f} (0.2 s), segment F1 "
                      f"{f1[2]:.3f}, mean average precision {scores['mean_average_precision']:.3f}", flush=True)


main()
