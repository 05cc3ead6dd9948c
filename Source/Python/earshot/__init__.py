"""Which sounds are in a recording or a live stream, and when.

>>> import earshot
>>> model = earshot.Model()
>>> events = model.analyze("dawn.flac")
>>> events["label"]
>>> events.to_pandas()

`python -m earshot FILE...` prints the events of recordings as CSV.

Threads: a model may be used by any number of threads at the same time, and all that takes long releases the interpreter's
lock. Processes: open models after a fork, not before it (`multiprocessing` with the start method "spawn", or threads).
"""

from ._audio import Audio
from ._events import Events
from ._model import Model
from ._native import Error, FileNotFound, version as _version
from ._stream import Change, Stream

__version__: str = _version()
__all__ = ["Audio", "Change", "Error", "Events", "FileNotFound", "Model", "Stream"]
