"""Streams give what recordings give, however the audio is cut."""

import threading

import numpy as np
import pytest

from conftest import RATE


def table(*events):
    return sorted((e["onset"], e["offset"], str(e["label"]), e["peak"], e["mean"], e["channel"]) for part in events for e in part)


@pytest.mark.parametrize("block", [1000, 48000, 10**9])
@pytest.mark.parametrize("mode", ["auto", "repeat"])
def test_a_stream_gives_the_answer_of_the_samples(block, mode, model, samples):
    found, columns = [], []
    with model.stream(RATE, channels=2, activations=True, mode=mode) as stream:
        for first in range(0, len(samples), block):
            found.append(stream.push(samples[first:first + block]))
            columns.append(stream.activations())
    found.append(stream.events())
    columns.append(stream.activations())
    expected = model.analyze(samples, RATE, activations=True, mode=mode)
    assert table(*found) == table(expected) and len(expected) > 2
    assert np.array_equal(np.concatenate(columns), expected.activations)
    assert stream.position == len(samples) and found[-1].duration == 20.0
    assert stream.activations().shape == (0, len(model.labels)) and len(stream.events()) == 0


def test_finish_returns_the_rest(model, samples):
    stream = model.stream(RATE, 2)
    found = [stream.push(samples), stream.finish()]
    assert table(*found) == table(model.analyze(samples, RATE))
    with pytest.raises(ValueError, match="ended"):
        stream.push(samples)
    with pytest.raises(ValueError, match="ended"):
        stream.finish()


def test_one_channel_of_it_and_odd_blocks(model, samples):
    mono = samples[:, 1] / 32768.0
    with model.stream(RATE) as stream:
        found = [stream.push(part) for part in np.split(mono, [0, 1, 2, 10, 47777, 500000])]
    assert table(*found, stream.events()) == table(model.analyze(mono, RATE))
    with model.stream(RATE, 2, channel=2, only="Flute") as stream:
        found = [stream.push(samples)]
    assert {event["label"] for event in stream.events()} | {event["label"] for event in found[0]} == {"Flute"}


def test_live_changes_come_before_the_events(model, samples):
    stream = model.stream(RATE, 2, live=True, mode="repeat")
    changes = []
    for first in range(0, len(samples), 4800):
        stream.push(samples[first:first + 4800])
        changes += stream.changes()
    stream.finish()
    changes += stream.changes()
    onsets = [change for change in changes if change.kind == "onset"]
    assert {change.kind for change in changes} == {"onset", "offset"} and len(onsets) * 2 == len(changes)
    assert "Tom" in {str(change.event["label"]) for change in onsets}
    assert model.stream(RATE, 2).changes() == []


def test_wrong_pushes_leave_the_stream_as_it_is(model, samples):
    with model.stream(RATE, 2) as stream:
        for wrong in (np.zeros(100), np.zeros((100, 3)), np.zeros((2, 100)), np.zeros((1, 2, 3)), "text", None):
            with pytest.raises(ValueError, match="samples"):
                stream.push(wrong)
        stream.push(np.zeros((0, 2)))
        found = stream.push(samples)
    assert table(found, stream.events()) == table(model.analyze(samples, RATE))


def test_closed_streams_are_errors(model, samples):
    stream = model.stream(RATE, 2)
    stream.close()
    stream.close()
    for call in (lambda: stream.push(samples), stream.finish, stream.events, stream.activations, stream.changes):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert stream.position == 0
    with pytest.raises(LookupError):
        with model.stream(RATE, 2) as broken:
            raise LookupError
    with pytest.raises(ValueError, match="closed"):
        broken.events()


@pytest.mark.parametrize("arguments, message", [
    ({"channels": 0}, "channels"), ({"channels": 2000}, "channels"), ({"channel": "each"}, "channel"), ({"threshold": 7}, "threshold")])
def test_wrong_streams(arguments, message, model):
    with pytest.raises(ValueError, match=message):
        model.stream(RATE, **arguments)


def test_one_thread_pushes_and_another_takes(model, samples):
    stream = model.stream(RATE, 2)
    found, over = [], threading.Event()

    def take():
        while not over.is_set():
            found.append(stream.events())
    taker = threading.Thread(target=take)
    taker.start()
    for first in range(0, len(samples), 48000):
        found.append(stream.push(samples[first:first + 48000]))
    found.append(stream.finish())
    over.set()
    taker.join()
    assert table(*found) == table(model.analyze(samples, RATE))


def test_a_stream_is_closed_while_another_thread_pushes(model, samples):
    for _ in range(3):
        stream = model.stream(RATE, 2)
        pusher = threading.Thread(target=stream._native.push, args=[np.ascontiguousarray(samples, np.float32)])
        pusher.start()
        stream.close()
        pusher.join()
