"""The table of events."""

import pickle

import numpy as np
import pytest

import earshot
from conftest import RATE


@pytest.fixture(scope="module")
def events(model, recording):
    return model.analyze(recording)


def test_it_is_a_structured_array(events, recording):
    assert events.dtype.names == ("onset", "offset", "label", "class_index", "peak", "mean", "confidence", "channel")
    assert isinstance(events, earshot.Events) and type(events["onset"]) is np.ndarray
    loud = events[events["peak"] > np.median(events["peak"])]
    assert isinstance(loud, earshot.Events) and 0 < len(loud) < len(events) and loud.file == str(recording)
    assert str(events[0]["label"]) in {"Tom", "Flute", "Clarinet", "Drum"} or len(str(events[0]["label"])) > 0
    assert (np.diff(events["onset"]) >= 0).all() and (events["offset"] > events["onset"]).all()
    assert "onset" in repr(events) and str(recording) in loud.to_csv()


def test_tables_of_one_model_can_be_joined(model, events, samples):
    joined = np.concatenate([events, model.analyze(samples[:100], RATE), model.analyze(samples[8 * RATE:], RATE)])
    assert joined.dtype == events.dtype and len(joined) > len(events)


def test_copies_and_pickles_keep_all(events):
    for copy in (pickle.loads(pickle.dumps(events)), events.copy()):
        assert copy.tobytes() == events.tobytes() and copy.file == events.file and copy.duration == 20.0
        assert copy.to_csv() == events.to_csv()


def test_to_pandas(events, recording):
    pandas = pytest.importorskip("pandas")
    table = events.to_pandas()
    assert list(table.columns) == ["file", *events.dtype.names] and len(table) == len(events)
    assert set(table["file"]) == {str(recording)} and list(table["label"]) == list(events["label"])
    assert pandas.concat([table, events[:0].to_pandas()]).equals(table)
    assert table.groupby("label")["peak"].max().max() == events["peak"].max()
