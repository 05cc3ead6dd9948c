"""What may be given as audio: paths of files, and arrays of samples."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    #: A file's path, or samples: (frames,) or (frames, channels). Floats are nominally -1 to 1; int16, int32 and uint8 are
    #: scaled to that.
    Audio = Union[str, bytes, os.PathLike[Any], ArrayLike]
else:
    Audio = Any

_FULL_SCALE = {"int16": 32768.0, "int32": 2147483648.0, "uint8": 128.0}


def path_of(audio: Audio, rate: Optional[float]) -> Optional[bytes]:
    """Returns the path of a file; None for samples."""
    if not isinstance(audio, (str, bytes, os.PathLike)):
        if rate is None:
            raise ValueError("rate: samples need their rate in Hz; give it after them")
        return None
    if rate is not None:
        raise ValueError("rate: a file has its own; leave it out")
    return file_path(audio)


def file_path(path: Union[str, bytes, "os.PathLike[Any]"]) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("path: has a null character")
    return name


def samples_of(audio: "ArrayLike", channels: Optional[int] = None) -> "NDArray[np.float32]":
    """Returns float32 samples (frames, channels), contiguous; the given ones if that is what they are.

    channels: how many are expected, of a stream
    """
    array = np.asarray(audio)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"samples: expected the shape (frames,) or (frames, channels), found {array.shape}")
    _check_channels(array.shape, channels)
    return np.ascontiguousarray(_scaled(array))


def _check_channels(shape: tuple[int, ...], channels: Optional[int]) -> None:
    if channels is not None:
        if shape[1] != channels:
            raise ValueError(f"samples: expected {channels} channels, as the stream has, found {shape[1]} (shape {shape})")
    elif shape[1] == 0:
        raise ValueError(f"samples: expected at least 1 channel, found none (shape {shape})")
    elif shape[1] > shape[0] > 0:
        raise ValueError(f"samples: expected (frames, channels), found {shape}, which is more channels than frames; "
                         "if it is (channels, frames), give its transpose (.T)")


def _scaled(array: "NDArray[Any]") -> "NDArray[np.float32]":
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what is too large counts as silence, with a remark
            return array.astype(np.float32, copy=False)
    full_scale = _FULL_SCALE.get(array.dtype.name)
    if full_scale is None:
        raise ValueError(f"samples: expected floats, int16, int32 or uint8, found {array.dtype}")
    samples = array.astype(np.float32)
    if array.dtype.kind == "u":
        samples -= np.float32(full_scale)
    samples /= np.float32(full_scale)
    return samples
