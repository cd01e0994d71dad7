"""Copies of tiles between an operand and a buffer: partial tiles, padding, broadcast, and bodies on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from ...ir import Array
from .bodies import Move, unchanged


def overlap(
    offsets: Sequence[int], tile: Sequence[int], shape: Sequence[int], repeated: Sequence[int] = ()
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """
    Return the parts of a buffer and of a tile's buffer that a tile at `offsets` shares with the buffer.

    Along `repeated` axes the tile has one element of the buffer everywhere.
    """
    far, near = list[slice](), list[slice]()
    for axis, (offset, extent, size) in enumerate(zip(offsets, tile, shape, strict=True)):
        if axis in repeated and 0 <= offset < size:
            far.append(slice(offset, offset + 1))
            near.append(slice(0, extent))
            continue
        start = max(offset, 0)
        stop = max(min(offset + extent, size), start)
        far.append(slice(start, stop))
        near.append(slice(start - offset, stop - offset))
    return tuple(far), tuple(near)


def is_partial(part: Sequence[slice], shape: Sequence[int]) -> bool:
    """Return whether a part of a buffer is less than all of it."""
    return any(piece.stop - piece.start != extent for piece, extent in zip(part, shape, strict=True))


def _fill_value(fill: Attribute | None) -> Any:
    return cast(Any, fill).value.data if isinstance(fill, IntegerAttr | FloatAttr) else None


def read_tile(
    far: Array,
    offsets: Sequence[int],
    near: Array,
    fill: Attribute | None,
    move: Move = unchanged,
    repeated: Sequence[int] = (),
) -> None:
    """
    Copy a tile to its buffer, mapped by `move`, with one element repeated along some axes.

    Raises IndexError where the tile crosses the border and nothing says how to fill.
    """
    source, target = overlap(offsets, near.shape, far.shape, repeated)
    if is_partial(target, near.shape):
        value = _fill_value(fill)
        if value is None:
            raise IndexError(f"the tile at {tuple(offsets)} leaves the buffer of shape {far.shape}")
        near[...] = np.asarray(value).astype(near.dtype)
    near[target] = move(far[source], [part.start for part in source])


def write_tile(far: Array, offsets: Sequence[int], near: Array, move: Move = unchanged) -> None:
    """Copy the part of a tile that is inside of the buffer back to it, mapped by `move`."""
    target, source = overlap(offsets, near.shape, far.shape)
    far[target] = move(near[source], [part.start for part in target])
