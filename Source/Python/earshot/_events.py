"""The table of events."""

from __future__ import annotations

import io
import os
import re
from typing import TYPE_CHECKING, Any, Optional, Sequence, TextIO, Union

import numpy as np

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

_COLUMNS = ["file", "onset_s", "offset_s", "label", "class_index", "peak", "mean", "confidence", "channel", "onset_time"]
_FORMULA = re.compile("[ '\"]*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20].", re.DOTALL)


class Events(np.ndarray):
    """Events, by onset: a structured array with these fields.

    onset, offset    seconds from the first sample
    label            the sound
    class_index      its number in the model
    peak, mean       the highest and the mean probability within
    confidence       if events are chosen by confidence, else 0
    channel          counted from 1; 0: the mix of all

    A field is a plain array (`events["onset"]`), and so are conditions: `events[events["peak"] > 0.8]` are Events again.
    """

    file: str  #: the recording; empty for samples
    duration: float  #: seconds of audio that were analysed; of a stream: pushed
    remarks: tuple[str, ...]  #: what one should know of the audio; usually empty
    activations: Optional["NDArray[np.float32]"]  #: (columns, classes), if they were kept

    def __array_finalize__(self, other: Any) -> None:
        self.file = getattr(other, "file", "")
        self.duration = getattr(other, "duration", 0.0)
        self.remarks = getattr(other, "remarks", ())
        self.activations = getattr(other, "activations", None)

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item.view(np.ndarray) if isinstance(item, Events) and item.dtype.names is None else item

    def __reduce__(self) -> Any:
        return _restored, (np.asarray(self), dict(self.__dict__))

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each event; its first column is the file. It needs pandas."""
        import pandas

        columns = {name: np.asarray(self[name]) for name in self.dtype.names or ()}
        return pandas.DataFrame({"file": [self.file] * len(self), **columns})

    def to_csv(self, path_or_file: Union[str, "os.PathLike[str]", TextIO, None] = None) -> Optional[str]:
        """Writes the table that `earshot analyze --format csv` writes, in UTF-8.

        Of recordings that say when they began, the command line adds the time of day (onset_time); here that is empty.
        path_or_file: None returns the text
        """
        text = csv_text([self])
        if path_or_file is None:
            return text
        if hasattr(path_or_file, "write"):
            path_or_file.write(text)
        else:
            with open(path_or_file, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return None


def _restored(array: Any, attributes: dict[str, Any]) -> Events:
    events = array.view(Events)
    events.__dict__.update(attributes)
    return events


def events_of(raw: "NDArray[Any]", labels: Sequence[str], **attributes: Any) -> Events:
    """`raw`: events of the library. The length of the longest label is part of the type, so that tables can be joined."""
    longest = max(map(len, labels), default=1)
    fields = [("onset", "f8"), ("offset", "f8"), ("label", f"U{longest}"), ("class_index", "i4"), ("peak", "f4"),
              ("mean", "f4"), ("confidence", "f4"), ("channel", "i4")]
    events = np.empty(len(raw), dtype=fields).view(Events)
    for name, _ in fields:
        events[name] = np.asarray(labels, dtype=f"U{longest}")[raw["class_index"]] if name == "label" else raw[name]
    events.__dict__.update(attributes)
    return events


def csv_text(tables: Sequence[Events], header: bool = True) -> str:
    out = io.StringIO()
    if header:
        out.write(",".join(_COLUMNS) + "\n")
    for events in tables:
        for event in events:
            out.write(_line(events.file, event) + "\n")
    return out.getvalue()


def _line(file: str, event: Any) -> str:
    confidence = f"{event['confidence']:.6f}" if event["confidence"] > 0 else ""
    channel = str(event["channel"]) if event["channel"] > 0 else ""
    return ",".join([_field(file), f"{event['onset']:.3f}", f"{event['offset']:.3f}", _field(str(event["label"])),
                     str(event["class_index"]), f"{event['peak']:.6f}", f"{event['mean']:.6f}", confidence, channel, ""])


def _field(text: str) -> str:
    """As the command line: quoted where any reader could stumble; no spreadsheet takes it for a formula."""
    text = os.fsencode(text).decode("utf-8", "replace")
    if _FORMULA.match(text):
        text = "'" + text
    if text.startswith("#") or any(c in text for c in ',;"\t\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
