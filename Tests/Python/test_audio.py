"""Arrays of every kind that holds the same samples give the same answer; others give a clear error."""

import os

import numpy as np
import pytest

from conftest import RATE, write_wav


@pytest.fixture(scope="module")
def mono(samples):
    return samples[2 * RATE:8 * RATE, 0]


def labels(events):
    return [(event["onset"], event["label"], event["peak"]) for event in events]


def variants(x):
    floats = (x / 32768.0).astype(np.float32)
    wide = np.zeros((len(x), 3), np.float32)
    wide[:, 1] = floats
    read_only = floats.copy()
    read_only.flags.writeable = False
    return {
        "int16": x, "float32": floats, "float64": x / 32768.0, "float128": (x / 32768.0).astype(np.longdouble),
        "int32": x.astype(np.int32) * 65536, "big-endian": x.astype(">i2"), "big-endian floats": floats.astype(">f4"),
        "(frames, 1)": floats[:, None], "a column of others": wide[:, 1], "columns of others": wide[:, 1:2],
        "backwards twice": floats[::-1].copy()[::-1], "every second": np.repeat(floats, 2)[::2], "read-only": read_only,
        "a list": floats.tolist(), "two equal channels": np.stack([floats, floats], 1),
        "Fortran's order": np.asfortranarray(np.stack([floats, floats], 1)), "transposed": np.stack([floats, floats]).T,
        "float16": (x // 32 * 32 / 32768.0).astype(np.float16),
    }


NAMES = list(variants(np.zeros(4, np.int16)))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "float16"])
def test_the_same_samples_give_the_same_events(name, model, mono):
    expected = labels(model.analyze(mono, RATE))
    assert expected
    assert labels(model.analyze(variants(mono)[name], RATE)) == expected
    assert np.array_equal(model.activations(variants(mono)[name], RATE), model.activations(mono, RATE))


def test_half_floats_and_bytes(model, mono):
    assert len(model.analyze(variants(mono)["float16"], RATE)) > 0
    eight = (mono // 256 + 128).astype(np.uint8)
    assert labels(model.analyze(eight, RATE)) == labels(model.analyze((eight - 128.0) / 128.0, RATE))


def test_the_caller_keeps_his_samples(model, mono):
    floats = variants(mono)["float32"]
    before = floats.copy()
    model.analyze(floats, RATE)
    assert np.array_equal(floats, before)


def test_not_finite_samples_are_silence_with_a_remark(model, mono):
    floats = mono / 32768.0
    floats[100:110], floats[200] = np.nan, 1e300
    events = model.analyze(floats, RATE)
    assert len(events) > 0 and len(events.remarks) == 1 and "11 samples" in events.remarks[0]
    assert len(model.analyze(np.full(RATE, np.nan), RATE)) == 0


def test_no_more_than_silence(model):
    for count in (1, 100, RATE):
        events = model.analyze(np.zeros(count), RATE)
        assert len(events) == 0 and events.duration == pytest.approx(count / RATE)
    assert model.activations(np.zeros(100), RATE).shape == (0, len(model.labels))


WRONG = [
    (np.zeros((2, 48000)), "transpose"),
    (np.zeros((2, 500)), "transpose"),
    (np.zeros((3, 4, 5)), r"found \(3, 4, 5\)"),
    (np.float32(1.0), r"found \(\)"),
    (np.zeros(0), "frames: expected at least 1"),
    ([], "frames: expected at least 1"),
    (np.zeros((0, 2)), "frames: expected at least 1"),
    (np.zeros((10, 0)), "at least 1 channel"),
    (np.zeros((3000, 1025)), "channels: expected 1 to 1024"),
    (np.zeros(100, complex), "complex128"),
    (np.zeros(100, bool), "bool"),
    (np.zeros(100, np.int64), "int64"),
    (np.zeros(100, np.uint16), "uint16"),
    (np.array(["a.wav", "b.wav"]), "expected floats"),
    (np.array([None, 1.0]), "object"),
    (None, "expected"),
    ({}, "expected"),
]


@pytest.mark.parametrize("audio, message", WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_what_is_no_audio_is_a_value_error(audio, message, model):
    for call in (model.analyze, model.activations, model.embed):
        with pytest.raises(ValueError, match=message):
            call(audio, RATE)


@pytest.mark.parametrize("rate", [0, -1, 999, 1e7, float("nan"), float("inf")])
def test_wrong_rates_are_value_errors(rate, model):
    for call in (model.analyze, model.embed, lambda x, r: model.stream(r)):
        with pytest.raises(ValueError, match="rate"):
            call(np.zeros(1000), rate)


def test_rates_belong_to_samples(model, recording):
    with pytest.raises(ValueError, match="need their rate"):
        model.analyze(np.zeros(1000))
    with pytest.raises(ValueError, match="has its own"):
        model.analyze(recording, 48000)


@pytest.mark.parametrize("kind", [str, os.fsencode, lambda path: path], ids=["str", "bytes", "Path"])
def test_paths_of_every_kind(kind, model, recording):
    assert len(model.analyze(kind(recording))) > 0


def test_names_that_are_not_ascii(model, samples, program, tmp_path):
    for name in ("Mönchsgrasmücke, früh.wav", "=1+2.wav", "#1.wav", 'a"b.wav'):
        path = tmp_path / name
        write_wav(path, samples[:9 * RATE])
        events = model.analyze(path)
        assert len(events) > 0 and events.to_csv() == program("analyze", path, "--format", "csv")
    with pytest.raises(ValueError, match="null"):
        model.analyze("a\0b.wav")
