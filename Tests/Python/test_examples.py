"""Resources/examples/python and r, as their first lines say."""

import csv
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, rows


def test_a_table_and_a_heat_map(model, program, demo, recording, tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    example = ROOT / "Resources/examples/python/table_and_heat_map.py"
    done = subprocess.run([sys.executable, example, tmp_path / "out", demo, "absent.wav", recording],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "absent.wav: no such file" in done.stderr and "Tom" in done.stdout
    with open(tmp_path / "out/events.csv", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    expected = rows(program("analyze", demo, recording, "--format", "csv"))
    assert [(row["file"], row["label"]) for row in written] == [(row["file"], row["label"]) for row in expected]
    import matplotlib.image
    picture = matplotlib.image.imread(tmp_path / "out/heat_map.png")
    assert picture.shape[1] == 1200 and len({tuple(pixel) for row in picture[::8] for pixel in row[::8]}) > 50


def test_a_table_in_r(program, demo, recording, tmp_path):
    pytest.importorskip("pandas")
    if not shutil.which("Rscript") or subprocess.run(["Rscript", "-e", "library(reticulate)"], capture_output=True).returncode:
        pytest.skip("needs R with reticulate (package r-cran-reticulate)")
    done = subprocess.run(["Rscript", ROOT / "Resources/examples/r/table.R", tmp_path / "events.csv", demo, "absent.wav", recording],
                          capture_output=True, text=True, env={**os.environ, "RETICULATE_PYTHON": sys.executable})
    assert done.returncode == 0 and "absent.wav: no such file" in done.stderr and "Tom" in done.stdout
    with open(tmp_path / "events.csv", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    expected = rows(program("analyze", demo, recording, "--format", "csv"))
    assert [(row["file"], row["label"]) for row in written] == [(row["file"], row["label"]) for row in expected]
    for row, right in zip(written, expected):
        assert abs(float(row["onset"]) - float(right["onset_s"])) < 1e-6
