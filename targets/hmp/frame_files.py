"""Frames in files: arrays of NumPy become the raw frames that a program takes, and its raw results arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...errors import Diagnostic
from ...files import open_regular
from ...ir import Array
from ...runtime.inputs import load_arrays, matched
from .building import ProgramPort

_ARRAYS = (".npz", ".npy")


def raw_frames(frames: Path, ports: Sequence[ProgramPort], folder: Path) -> Path:
    """
    Return raw frames for a program: those of an .npz or .npy file, or of a directory of them, written to a folder.

    An array has the shape of its input behind an axis of frames, in which an axis of one frame may be left out. The
    files of a directory follow each other in the order of their names. Raw frames are returned as they are.
    Raises Diagnostic for arrays that fit no input, and for inputs of different numbers of frames.
    """
    if frames.is_dir():
        files = sorted(file for file in frames.iterdir() if file.suffix in _ARRAYS)
        if not files:
            return frames
    elif frames.suffix not in _ARRAYS:
        return frames
    else:
        files = [frames]
    streams = {port.name: (folder / f"{port.file}.bin").open("wb") for port in ports}
    try:
        for file in files:
            _append(_arrays(file, ports), ports, streams, file)
    finally:
        for stream in streams.values():
            stream.close()
    return folder if len(ports) != 1 else folder / f"{ports[0].file}.bin"


def _arrays(file: Path, ports: Sequence[ProgramPort]) -> Mapping[str, Array]:
    if file.suffix == ".npz":
        return matched(load_arrays(file), [port.name for port in ports], file)
    if len(ports) != 1:
        raise Diagnostic(
            "one array for several inputs",
            source=str(file),
            expected=f"an .npz file with {', '.join(port.name for port in ports)}",
            found="an .npy file",
        )
    try:
        with open_regular(file, None) as stream:
            return {ports[0].name: cast(Array, np.load(stream, allow_pickle=False))}
    except (OSError, ValueError, EOFError) as error:
        raise Diagnostic("the array cannot be read", source=str(file), found=str(error)) from error


def _append(arrays: Mapping[str, Array], ports: Sequence[ProgramPort], streams: Mapping[str, Any], file: Path) -> None:
    counts: dict[str, int] = {}
    for port in ports:
        array = arrays[port.name]
        shape = (len(array), *port.shape) if array.ndim else port.shape
        whole = port.shape[1:] if port.shape[:1] == (1,) else port.shape
        fits = array.ndim and array.shape[1:] in (port.shape, whole)
        if array.dtype != np.dtype(port.dtype) or not (fits or array.shape == port.shape):
            raise Diagnostic(
                f"the frames of '{port.name}' do not fit the input",
                source=str(file),
                expected=f"{port.dtype} [frames, {', '.join(map(str, port.shape))}]",
                found=f"{array.dtype} {list(array.shape)}",
                remedy="convert the array, with one axis for the frames before those of the input",
            )
        counts[port.name] = len(array) if fits else 1
        np.ascontiguousarray(array.reshape(shape) if fits else array).tofile(streams[port.name])
    if len(set(counts.values())) > 1:
        raise Diagnostic(
            "inputs have different numbers of frames",
            source=str(file),
            expected="one number of frames",
            found=", ".join(f"{name} {count}" for name, count in counts.items()),
        )


def results_of(folder: Path, ports: Sequence[ProgramPort]) -> dict[str, Array]:
    """Return the raw results in a folder as arrays [frames, *shape], by the names of the outputs."""
    arrays: dict[str, Array] = {}
    for port in ports:
        file = folder / f"{port.file}.bin"
        data = np.fromfile(file, np.dtype(port.dtype))
        arrays[port.name] = data.reshape(-1, *port.shape)
    return arrays
