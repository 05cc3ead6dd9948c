"""Errors are exceptions with the library's message; nothing crashes."""

import errno
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import earshot
from conftest import RATE


def test_a_file_that_is_not_there(model, tmp_path):
    for call in (model.analyze, model.activations, model.embed, earshot.Model):
        with pytest.raises(FileNotFoundError, match="absent.wav") as caught:
            call(tmp_path / "absent.wav")
        assert isinstance(caught.value, earshot.Error) and isinstance(caught.value, RuntimeError)
        assert caught.value.errno == errno.ENOENT


def test_files_that_are_no_audio_or_no_model(model, tmp_path):
    (tmp_path / "notes.wav").write_text("no audio")
    for path in (tmp_path, tmp_path / "notes.wav"):
        for call in (model.analyze, model.embed, earshot.Model):
            with pytest.raises(earshot.Error, match=path.name) as caught:
                call(path)
            assert not isinstance(caught.value, FileNotFoundError)


def test_a_file_that_breaks_off_says_what_was_found(model, demo, tmp_path):
    flac = demo.read_bytes()
    (tmp_path / "half.flac").write_bytes(flac[:len(flac) // 2])
    with pytest.raises(earshot.Error, match="half.flac") as caught:
        model.analyze(tmp_path / "half.flac")
    assert 10 < caught.value.events.duration < 30 and len(caught.value.events) > 0


WRONG = [
    ({"threshold": 1.5}, "threshold: expected 0 to 1"),
    ({"threshold": float("nan")}, "threshold"),
    ({"threshold": 0.2, "release": 0.5}, "release"),
    ({"class_thresholds": {"Flut": 0.5}}, "did you mean 'Flute'"),
    ({"class_thresholds": {"Flute": 2}}, "class_thresholds"),
    ({"only": ["Nothing like it at all"]}, "Model.labels"),
    ({"min_duration": -1}, "min_duration"),
    ({"merge_gap": float("inf")}, "merge_gap"),
    ({"median": 4}, "median: expected an odd number"),
    ({"hop": 1000}, "hop"),
    ({"hop": float("nan")}, "hop"),
    ({"mode": "fast"}, "mode: expected one of 'auto'"),
    ({"channel": 0}, "channel"),
    ({"channel": "left"}, "channel: expected one of"),
    ({"confidence": 2.0}, "confidence"),
    ({"confidence": "auto", "threshold": 0.5}, "by_confidence"),
    ({"channel": "each", "activations": True}, "keep_activations"),
]


@pytest.mark.parametrize("rules, message", WRONG, ids=[str(rules) for rules, _ in WRONG])
def test_wrong_rules_are_value_errors(rules, message, model, recording):
    with pytest.raises(ValueError, match=message):
        model.analyze(recording, **rules)


def test_a_channel_that_the_audio_has_not(model, recording, samples):
    with pytest.raises(earshot.Error, match="channel"):
        model.analyze(recording, channel=3)
    with pytest.raises(ValueError, match="channel"):
        model.analyze(samples, RATE, channel=3)


def test_unknown_rules_and_types_are_type_errors(model, recording):
    for rules in ({"treshold": 0.5}, {"median": "7"}, {"min_duration": None}, {"class_thresholds": {"Flute": "high"}}):
        with pytest.raises(TypeError):
            model.analyze(recording, **rules)


def test_wrong_models(model):
    for arguments, message in (({"threads": -1}, "threads"), ({"precision": "f16"}, "precision: expected one of 'auto'")):
        with pytest.raises(ValueError, match=message):
            earshot.Model(**arguments)
    with pytest.raises(earshot.Error, match="text"):
        model.with_texts(["a dog barks"])
    with pytest.raises(ValueError, match="texts|count"):
        model.with_texts([])


def test_progress_is_told_and_may_end_it(model, recording):
    done = []
    model.analyze(recording, progress=done.append)
    assert len(done) >= 10 and done == sorted(done) and done[-1] == 1.0

    def fail(share):
        raise LookupError("enough")
    with pytest.raises(LookupError, match="enough"):
        model.analyze(recording, progress=fail)
    assert len(model.analyze(recording)) > 0  # the model goes on


def test_ctrl_c_cancels(model, samples):
    long = np.tile((samples / 32768.0).astype(np.float32), (30, 1))  # 10 minutes
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.analyze(long, RATE)
        pytest.fail("it was done before the signal")
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        model.embed(long, RATE)
        pytest.fail("it was done before the signal")
    stream = model.stream(RATE, 2)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        stream.push(long)
    assert time.monotonic() - begin < 30
    assert 0 < stream.position < len(long)


def test_other_threads_run_meanwhile(model, samples):
    long = np.tile(samples, (6, 1))
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())
    ticker = threading.Thread(target=tick)
    ticker.start()
    for work in (lambda: model.analyze(long, RATE), lambda: model.embed(long, RATE), lambda: model.stream(RATE, 2).push(long)):
        before, begin = len(ticks), time.monotonic()
        work()
        assert len(ticks) - before > (time.monotonic() - begin) / 0.1
    done.set()
    ticker.join()


PROCESSES = """
import multiprocessing, sys, numpy, earshot
def work(seed):
    return len(earshot.Model().analyze(numpy.random.default_rng(seed).normal(size=48000) * 0.1, 48000))
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(work, range(4)))
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_open_models_of_their_own(method, tmp_path):
    (tmp_path / "work.py").write_text(PROCESSES)
    done = subprocess.run([sys.executable, tmp_path / "work.py", method], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[")
