"""What is asked of an analysis, as keyword arguments."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Optional, Union

from . import _native

if TYPE_CHECKING:
    from typing import TypedDict

    class Rules(TypedDict, total=False):
        """All of them are optional; left out, they are as the model says, as on the command line."""

        threshold: float  # of all sounds: the probability from which a sound counts, 0 to 1
        release: float  # the probability below which it ends, at most the threshold
        class_thresholds: Mapping[str, float]  # thresholds of single sounds, as {"Dog": 0.3}
        only: Union[str, Iterable[str]]  # report these sounds only
        min_duration: float  # seconds: shorter events are dropped
        merge_gap: float  # seconds: events nearer than this are joined
        median: int  # columns of the median filter, odd; 1: none
        # Choose events by the model's confidence, not by thresholds and the median filter: the least one, or "auto".
        confidence: Union[float, str]
        hop: float  # seconds from window to window
        mode: str  # "auto", "crop" or "repeat"
        channel: Union[int, str]  # its number, counted from 1; "mix" or, of recordings, "each"


PRECISIONS = ("auto", "f32", "bf16", "int8")
_MODES = ("auto", "crop", "repeat")
_CHANNELS = {"mix": 0, "each": -1}

Progress = Callable[[Optional[float]], object]


def named(name: str, value: str, known: Iterable[str]) -> int:
    """Returns which of the known values it is."""
    names = list(known)
    if value not in names:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, names))}, found {value!r}")
    return names.index(value)


def choice_of(model: _native.Model, *, threshold: Optional[float] = None, release: Optional[float] = None,
              class_thresholds: Optional[Mapping[str, float]] = None, only: Union[str, Iterable[str], None] = None,
              min_duration: float = 0.0, merge_gap: float = 0.0, median: int = 1,
              confidence: Union[float, str, None] = None, hop: Optional[float] = None, mode: str = "auto",
              channel: Union[int, str] = "mix") -> _native.Choice:
    choice = _native.Choice()
    for name, value in (("threshold", threshold), ("release", release)):
        if value is not None:
            setattr(choice, name, _number(name, value))
    choice.min_duration, choice.merge_gap, choice.median = min_duration, merge_gap, median
    if hop is not None:
        choice.hop = _number("hop", hop)
    choice.mode = named("mode", mode, _MODES)
    choice.channel = _channel(channel)
    if confidence is not None:
        choice.by_confidence = 1
        if confidence != "auto":
            choice.confidence = _number("confidence", confidence)
    if class_thresholds is not None:
        choice.thresholds = _per_class(model, float("nan"), dict(class_thresholds))
    if only is not None:
        choice.only = _per_class(model, 0, {label: 1 for label in ([only] if isinstance(only, str) else only)})
    return choice


def _number(name: str, value: Union[float, str]) -> float:
    """The library takes NaN for "as the model says", which is None here."""
    number = float(value)
    if number != number:
        raise ValueError(f"{name}: expected a number, found NaN")
    return number


def _channel(channel: Union[int, str]) -> int:
    if isinstance(channel, str):
        named("channel", channel, _CHANNELS)
        return _CHANNELS[channel]
    if channel < 1:
        raise ValueError(f"channel: expected 'mix', 'each' or a number from 1, found {channel}")
    return channel


def _per_class(model: _native.Model, usual: float, given: Mapping[str, float]) -> list[float]:
    values = [usual] * len(model.labels())
    for label, value in given.items():
        values[_class_index(model, label)] = value
    return values


def _class_index(model: _native.Model, label: str) -> int:
    index = model.find_class(label)
    if index < 0:
        near = difflib.get_close_matches(label, model.labels(), 1)
        advice = f"did you mean {near[0]!r}?" if near else "Model.labels has all"
        raise ValueError(f"the model has no sound {label!r}; {advice}")
    return index
