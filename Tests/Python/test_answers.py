"""The same answers as the command line's."""

import concurrent.futures
import io
import json

import numpy as np
import pytest

import earshot
from conftest import RATE, rows


def same(left, right):
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("name", ["demo", "recording"])
def test_a_files_csv_is_that_of_the_command_line(name, model, program, request):
    file = request.getfixturevalue(name)
    events = model.analyze(file)
    assert len(events) > 3
    assert events.to_csv() == program("analyze", file, "--format", "csv")
    assert events.file == str(file) and events.remarks == ()


def test_samples_give_the_events_of_their_file(model, samples, recording):
    from_file, from_samples = model.analyze(recording), model.analyze(samples, RATE)
    assert len(from_file) > 2 and from_samples.duration == 20.0
    for field in from_file.dtype.names:
        assert np.array_equal(from_file[field], from_samples[field])


RULES = [
    ({"threshold": 0.2}, ["--threshold", "0.2"]),
    ({"threshold": 0.5, "release": 0.1}, ["--threshold", "0.5", "--release-threshold", "0.1"]),
    ({"class_thresholds": {"Flute": 0.9, "tom": 0.05}}, ["--class-threshold", "Flute=0.9", "--class-threshold", "tom=0.05"]),
    ({"only": ["Flute", "Tom"]}, ["--only", "Flute,Tom"]),
    ({"only": "Flute"}, ["--only", "Flute"]),
    ({"min_duration": 1.0}, ["--min-duration", "1"]),
    ({"merge_gap": 2.0}, ["--merge-gap", "2"]),
    ({"median": 7}, ["--median", "7"]),
    ({"hop": 0.64}, ["--hop", "0.64"]),
    ({"mode": "repeat"}, ["--mode", "repeat"]),
    ({"channel": 2}, ["--channel", "2"]),
    ({"channel": "each"}, ["--channel", "each"]),
    ({"confidence": "auto"}, ["--confidence", "auto"]),
    ({"confidence": 0.3}, ["--confidence", "0.3"]),
]


@pytest.mark.parametrize("rules, options", RULES, ids=[" ".join(options) for _, options in RULES])
def test_rules_are_the_command_lines(rules, options, model, program, recording):
    expected = program("analyze", recording, "--format", "csv", *options)
    assert model.analyze(recording, **rules).to_csv() == expected
    assert len(rows(expected)) > 0


def test_values_are_those_of_the_json(model, program, recording):
    [table] = [json.loads(program("analyze", recording, "--format", "json"))]
    events = model.analyze(recording)
    assert [entry["label"] for entry in table] == list(events["label"])
    assert [entry["class_index"] for entry in table] == list(events["class_index"])
    assert np.allclose([entry["mean"] for entry in table], events["mean"], rtol=0, atol=1e-6)
    assert [model.labels[i] for i in events["class_index"]] == list(events["label"])


def test_activations_are_those_that_a_batch_keeps(model, program, recording, tmp_path):
    program("analyze", recording, "--output-dir", tmp_path, "--keep-activations", "npy")
    [stored] = tmp_path.rglob("*.npy")
    kept = np.load(stored)
    [labels] = tmp_path.rglob("labels.csv")
    assert [row["label"] for row in rows(labels.read_text())] == list(model.labels)
    got = model.activations(recording)
    assert got.shape == kept.shape == (got.shape[0], len(model.labels)) and got.dtype == np.float32
    assert np.array_equal(got.astype(kept.dtype), kept)
    assert got.shape[0] == pytest.approx(20.0 / model.step, abs=1)
    assert not got.flags.owndata and not got.flags.writeable  # the library's memory
    events = model.analyze(recording, activations=True)
    assert np.array_equal(events.activations, got)
    assert model.analyze(recording).activations is None


def test_an_array_outlives_its_model_and_events(recording):
    values = earshot.Model().activations(recording)
    copy = values.copy()
    raw = earshot.Model().analyze(recording, activations=True).activations
    assert np.array_equal(values, copy) and np.array_equal(raw, copy)


@pytest.mark.parametrize("precision", ["f32", "auto"])
def test_embeddings_are_those_of_the_command_line(precision, program, samples, recording, tmp_path):
    program("embed", recording, "--per", "file", "--precision", precision, "--output-dir", tmp_path)
    [stored] = tmp_path.rglob("*.npy")
    model = earshot.Model(precision=precision)
    vector = model.embed(recording)
    assert vector.shape == (model.embedding_size,)
    assert np.array_equal(vector, np.load(stored).ravel())
    assert np.array_equal(model.embed(samples, RATE), vector)


def test_an_embedding_of_one_channel(model, samples):
    assert np.array_equal(model.embed(samples, RATE, channel=2), model.embed(samples[:, 1], RATE))
    with pytest.raises(ValueError, match="one vector"):
        model.embed(samples, RATE, channel="each")


def test_texts_become_sounds(text_model, program, recording):
    texts = ["a dog barks=Dog", "rain"]
    listening = earshot.Model(text_model).with_texts(texts)
    assert listening.labels == ("Dog", "rain")
    events = listening.analyze(recording, threshold=0.05)
    expected = rows(program("analyze", recording, "--model", text_model, "--listen", texts[0], "--listen", texts[1],
                            "--threshold", "0.05", "--format", "csv"))
    assert len(events) > 0
    assert [(str(e["label"]), round(float(e["onset"]), 6)) for e in events] == \
        [(row["label"], float(row["onset_s"])) for row in expected]


def test_what_the_model_says_of_itself(model, program):
    assert f"Sounds {len(model.labels)}, named by the model: {'; '.join(model.labels)}" in " ".join(program("info").split())
    assert model.rate == 32000 and model.step == 0.08
    assert set(model.thresholds) == set(model.labels) and all(0 < value < 1 for value in model.thresholds.values())
    assert model.properties["file"].endswith("earshot-default.safetensors") and model.properties["file"] in repr(model)


def test_threads_share_a_model(model, samples):
    clips = [samples[i * RATE:(i + 4) * RATE] for i in range(12)]
    alone = [model.analyze(clip, RATE) for clip in clips]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda clip: model.analyze(clip, RATE), clips))
    assert all(map(same, alone, together)) and sum(map(len, alone)) > 3


def test_a_model_file_and_the_environment(model, recording, monkeypatch):
    file = model.properties["file"]
    assert same(earshot.Model(file).analyze(recording), model.analyze(recording))
    monkeypatch.setenv("EARSHOT_MODEL", "/nowhere/absent.safetensors")
    with pytest.raises(earshot.Error, match="EARSHOT_MODEL"):
        earshot.Model()


def test_csv_goes_to_paths_and_files(model, recording, tmp_path):
    events = model.analyze(recording)
    assert events.to_csv(tmp_path / "events.csv") is None
    text = io.StringIO()
    events.to_csv(text)
    assert (tmp_path / "events.csv").read_bytes().decode() == text.getvalue() == events.to_csv()
