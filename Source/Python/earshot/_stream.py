"""Audio that comes piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from . import _native
from ._audio import samples_of
from ._events import Events, events_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Change(NamedTuple):
    """What a live stream reports before events are settled. The settled event may have other times, or not exist."""

    kind: str  #: "onset" or "offset"
    event: Any  #: with the fields of Events, as known so far


class Stream:
    """A stream, which Model.stream() opens.

    >>> with model.stream(48000, channels=2) as stream:
    ...     for block in blocks:
    ...         for event in stream.push(block):
    ...             print(event["onset"], event["label"])
    >>> rest = stream.events()

    Events and columns are given once they are settled: no later audio changes them. That is up to a window (10.24 s in the
    published sizes) after the sound, in the mode "repeat" up to a quarter of that. Leaving the `with` block finishes the
    stream, unless by an exception; what is left can be taken afterwards. One thread pushes, and others may take.
    """

    def __init__(self, native: _native.Stream, labels: Sequence[str], rate: float, channels: int) -> None:
        self._native, self._labels = native, labels
        self._rate, self._channels = rate, channels
        self._finished = False

    def push(self, samples: "ArrayLike") -> Events:
        """Takes samples (frames,) or (frames, channels), any number, and returns the events that are settled since."""
        self._native.push(samples_of(samples, self._channels))
        return self.events()

    def finish(self) -> Events:
        """The audio has ended: settles everything, and returns the events since. Nothing can be pushed any more."""
        self._native.finish()
        self._finished = True
        return self.events()

    def events(self) -> Events:
        """Takes the events that are settled, by onset, except that a long one may follow shorter ones."""
        return events_of(self._native.events(), self._labels, duration=self.position / self._rate)

    def activations(self) -> "NDArray[np.float32]":
        """Takes the columns that are settled: (columns, classes), those that follow the ones taken before."""
        return self._native.activations()

    def changes(self) -> list[Change]:
        """Takes what has begun and ended, of a live stream."""
        onsets, raw = self._native.changes()
        events = events_of(raw, self._labels)
        return [Change("onset" if onset else "offset", event) for onset, event in zip(onsets, events)]

    @property
    def position(self) -> int:
        """How many frames were pushed."""
        return self._native.position

    def close(self) -> None:
        """Frees the stream, with what was not taken. Its last reference does so, too."""
        self._native.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is not None:
            self.close()
        elif not self._finished and not self._native.is_closed:
            self._native.finish()
            self._finished = True
