"""Models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Union

from . import _native
from ._audio import Audio, file_path, path_of, samples_of
from ._events import Events, events_of
from ._rules import PRECISIONS, Progress, choice_of, named
from ._stream import Stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from ._rules import Rules


class Model:
    """A model with its sounds. Any number of threads may use it at the same time.

    path       a checkpoint; None: the file that the environment's EARSHOT_MODEL names, else the default model
    threads    that one analysis uses; 0: one for each core
    precision  "auto" (the fastest on this CPU), "f32", "bf16" or "int8"

    Open it once for many recordings: that takes longer than a short clip.
    """

    def __init__(self, path: Union[str, bytes, "os.PathLike[Any]", None] = None, threads: int = 0,
                 precision: str = "auto") -> None:
        name = None if path is None else file_path(path)
        self._take(_native.Model(name, threads, named("precision", precision, PRECISIONS)))

    def _take(self, native: _native.Model) -> None:
        self._native = native
        self._labels = tuple(native.labels())

    @property
    def labels(self) -> tuple[str, ...]:
        """The sounds, in the order of the columns of activations."""
        return self._labels

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The probability from which each sound counts, unless the rules say otherwise."""
        return dict(zip(self._labels, self._native.thresholds()))

    @property
    def step(self) -> float:
        """Seconds from one column of activations to the next."""
        return self._native.step()

    @property
    def rate(self) -> float:
        """Hz. Audio at other rates is resampled to this one."""
        return self._native.rate()

    @property
    def embedding_size(self) -> int:
        """The number of values of an embedding."""
        return self._native.embedding_size()

    @property
    def properties(self) -> Mapping[str, str]:
        """What else is known: "file", "licence" (of the weights), "precision", "texts" ("yes" if with_texts() works)."""
        return {name: self._native.property(name) or "" for name in ("file", "licence", "precision", "texts")}

    def analyze(self, audio: Audio, rate: Optional[float] = None, *, activations: bool = False,
                progress: Optional[Progress] = None, **rules: "Unpack[Rules]") -> Events:
        """Finds the events of a recording, the same ones as the command line.

        audio        a file's path, or samples (frames,) or (frames, channels) with their rate in Hz. float32 in C order is
                     read where it lies.
        activations  keep the probabilities, too: `events.activations` (columns, classes)
        progress     is called about once for each second of audio, with the share that is done (0 to 1), or None where the
                     length is not known. What it raises ends the analysis, and Ctrl-C does.
        rules        threshold, release, class_thresholds, only, min_duration, merge_gap, median, confidence, hop, mode,
                     channel: see Rules in _rules.py, or the manual

        Of a file that breaks off, Error has what was found up to there, as its attribute `events`.
        """
        choice = choice_of(self._native, **rules)
        choice.keep_activations = int(activations)
        path = path_of(audio, rate)
        if path is None:
            result = self._native.analyze_samples(samples_of(audio), rate, choice, progress)
        else:
            result = self._native.analyze_file(path, choice, progress)
        events = events_of(result.events, self._labels, file="" if path is None else os.fsdecode(path),
                           duration=result.duration, remarks=tuple(result.remarks.splitlines()),
                           activations=result.activations if activations else None)
        if result.failure is not None:
            error = _native.Error(result.failure)
            error.events = events
            raise error
        return events

    def activations(self, audio: Audio, rate: Optional[float] = None, *, progress: Optional[Progress] = None,
                    **rules: "Unpack[Rules]") -> "NDArray[np.float32]":
        """The probabilities of a recording: (columns, classes), a column for each `step`. hop, mode and channel matter.

        The array is the library's own memory, and read-only.
        """
        kept = self.analyze(audio, rate, activations=True, progress=progress, **rules).activations
        assert kept is not None
        return kept

    def embed(self, audio: Audio, rate: Optional[float] = None, *, channel: Union[int, str] = "mix",
              progress: Optional[Progress] = None) -> "NDArray[np.float32]":
        """Makes one vector of a recording (embedding_size,), as `earshot embed --per file`: the mean over its windows.

        channel   "mix", or a channel's number, counted from 1
        progress  as in analyze()

        The command line computes it in "f32" unless told otherwise.
        """
        choice = choice_of(self._native, channel=channel)
        path = path_of(audio, rate)
        if path is None:
            return self._native.embed_samples(samples_of(audio), rate, choice, progress)
        return self._native.embed_file(path, choice, progress)

    def with_texts(self, texts: Iterable[str]) -> "Model":
        """Makes a model whose sounds are texts, from a CLAP checkpoint that has a text half. Both share the weights.

        texts  each "a dog barks", or with a name of its own "a dog barks=Dog"
        """
        listed = [texts] if isinstance(texts, str) else list(texts)
        model = Model.__new__(Model)
        model._take(self._native.with_texts(listed))
        return model

    def stream(self, rate: float, channels: int = 1, *, activations: bool = False, live: bool = False,
               **rules: "Unpack[Rules]") -> Stream:
        """Opens a stream of audio that comes piece by piece, at `rate` Hz.

        activations  keep the probabilities, for Stream.activations()
        live         also report onsets as soon as they are likely, by Stream.changes()
        """
        choice = choice_of(self._native, **rules)
        choice.keep_activations, choice.live = int(activations), int(live)
        return Stream(_native.Stream(self._native, rate, channels, choice), self._labels, rate, channels)

    def __repr__(self) -> str:
        return f"<earshot.Model {self.properties['file']!r}: {len(self._labels)} sounds, a column each {self.step:g} s>"
