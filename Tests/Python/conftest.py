"""Fixtures. The built package is found through PYTHONPATH, the built program through EARSHOT_PROGRAM (CMakeLists.txt)."""

import csv
import importlib.util
import io
import os
import pathlib
import subprocess
import wave

import numpy as np
import pytest

import earshot

ROOT = pathlib.Path(__file__).resolve().parents[2]
RATE = 48000


def run(*arguments, check=True):
    done = subprocess.run([os.environ["EARSHOT_PROGRAM"], *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    assert not check or done.returncode == 0, done.stderr
    return done


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def write_wav(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(samples.dtype.itemsize)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


@pytest.fixture(scope="session")
def program():
    """Runs the command line, and returns what it prints."""
    return lambda *arguments: run(*arguments).stdout


@pytest.fixture(scope="session")
def model():
    return earshot.Model()


@pytest.fixture(scope="session")
def demo():
    return ROOT / "Resources/demo.flac"


@pytest.fixture(scope="session")
def samples():
    """20 s of toms on the left, a flute and a clarinet on the right: int16 (frames, channels), at RATE."""
    spec = importlib.util.spec_from_file_location("make_demo", ROOT / "Resources/make_demo.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    track = np.zeros((20 * RATE, 2))
    maker.place(track[:, 0], maker.toms(5.0), 2.0)
    maker.place(track[:, 1], maker.flute([523.3, 587.3, 659.3, 784.0]), 8.0)
    maker.place(track[:, 1], maker.clarinet([293.7, 349.2, 440.0, 392.0]), 14.0)
    return (track * 32767).astype("<i2")


@pytest.fixture(scope="session")
def recording(samples, tmp_path_factory):
    """The same as a file."""
    path = tmp_path_factory.mktemp("recordings") / "three sounds.wav"
    write_wav(path, samples)
    return path


@pytest.fixture(scope="session")
def text_model(tmp_path_factory):
    """A small CLAP checkpoint that has a text half."""
    path = tmp_path_factory.mktemp("models") / "clap.safetensors"
    writer = os.environ.get("EARSHOT_LIBRARY_TESTS", "")
    if not os.path.exists(writer):
        pytest.skip("earshot_library_tests, which writes the model, is not built")
    subprocess.run([writer, "a small CLAP model for tests in other languages"], check=True, capture_output=True,
                   env={**os.environ, "EARSHOT_TEXT_MODEL": str(path)})
    return path
