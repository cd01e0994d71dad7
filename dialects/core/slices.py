"""Slices of arrays as ops state them: offsets, sizes and strides, each constant or an operand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase

from ...errors import Diagnostic
from ...ir import where
from .semantics import Value


def mixed(static: DenseArrayBase[Any], dynamic: Sequence[Value]) -> list[int]:
    """Return the numbers of a partly static list."""
    numbers = iter(dynamic)
    return [int(next(numbers)) if value == DYNAMIC_INDEX else int(value) for value in static.get_values()]


def sized(shape: Sequence[int], dynamic: Sequence[Value]) -> tuple[int, ...]:
    """Return a shape with its dynamic extents substituted."""
    extents = iter(dynamic)
    return tuple(int(next(extents)) if extent == DYNAMIC_INDEX else extent for extent in shape)


def window(op: Any, shape: Sequence[int], dynamic: Sequence[Value]) -> tuple[tuple[slice, ...], tuple[int, ...]]:
    """
    Return the slices of an op with offsets, sizes and strides, and their shape.

    `dynamic` are the op's dynamic offsets, sizes and strides. Raises Diagnostic for slices out of bounds of `shape`.
    """
    counts = [len(op.offsets), len(op.sizes), len(op.strides)]
    ends = np.cumsum([0, *counts])
    groups = [dynamic[a:b] for a, b in pairwise(ends)]
    offsets, sizes, strides = (
        mixed(static, group)
        for static, group in zip((op.static_offsets, op.static_sizes, op.static_strides), groups, strict=True)
    )
    for axis, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
        last = offset + (size - 1) * stride
        if size < 0 or stride < 1 or (size > 0 and not (0 <= offset and last < shape[axis])):
            raise Diagnostic(
                f"'{op.name}' is out of bounds of its source along axis {axis}",
                where=where(op),
                expected=f"indices from 0 to {shape[axis] - 1}",
                found=f"offset {offset}, size {size}, stride {stride}",
            )
    slices = tuple(slice(o, o + size * s, s) for o, size, s in zip(offsets, sizes, strides, strict=True))
    return slices, tuple(sizes)
