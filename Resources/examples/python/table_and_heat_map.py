#!/usr/bin/env python3
"""From recordings to one table, and a heat map of the first: which sounds, and when.

    table_and_heat_map.py FOLDER RECORDING...

Writes FOLDER/events.csv and FOLDER/heat_map.png. It needs pandas and matplotlib. The parts between the lines `# %%` are cells
in editors that know these (VS Code, Spyder, jupytext).
"""

# %% What to analyse
import pathlib
import sys

import matplotlib
import numpy as np
import pandas

matplotlib.use("Agg")  # pictures go to files; leave this out in a notebook
import matplotlib.pyplot as plt

import earshot

folder, recordings = pathlib.Path(sys.argv[1]), sys.argv[2:]
folder.mkdir(parents=True, exist_ok=True)
model = earshot.Model()

# %% One table of all events. A recording that cannot be read is named, and the others go on.
tables = []
for recording in recordings:
    try:
        tables.append(model.analyze(recording).to_pandas())
    except earshot.Error as error:
        print(error, file=sys.stderr)
if not tables:
    sys.exit("no recording could be read")
table = pandas.concat(tables, ignore_index=True)
table.to_csv(folder / "events.csv", index=False)

table["seconds"] = table["offset"] - table["onset"]
print(table.groupby("label")["seconds"].agg(["count", "sum"]).sort_values("sum", ascending=False).head(10))

# %% The probabilities of the first recording: (columns, classes), a column every model.step seconds
events = model.analyze(tables[0]["file"].iloc[0] if len(tables[0]) else recordings[0], activations=True)
probabilities = events.activations
shown = np.argsort(probabilities.max(axis=0))[-12:]  # the classes with the highest peaks, highest last

figure, axes = plt.subplots(figsize=(10, 4), layout="constrained")
picture = axes.imshow(probabilities[:, shown].T, origin="lower", aspect="auto", cmap="magma", vmin=0, vmax=1,
                      interpolation="nearest", extent=(0, len(probabilities) * model.step, -0.5, len(shown) - 0.5))
axes.set_yticks(range(len(shown)), [model.labels[i] for i in shown])
axes.set_xlabel("seconds")
axes.set_title(pathlib.Path(events.file).name)
figure.colorbar(picture, label="probability")

# %% The events on it
for event in events:
    if event["class_index"] in shown:
        row = int(np.flatnonzero(shown == event["class_index"])[0])
        axes.plot([event["onset"], event["offset"]], [row - 0.4] * 2, color="deepskyblue", linewidth=3)
figure.savefig(folder / "heat_map.png", dpi=120)
