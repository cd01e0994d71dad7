"""Places in buffers at which ops of `cluster` begin, an index for each axis, and what lies there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from .....dialects.core.semantics import Value
from .....errors import Diagnostic
from .....ir import Array, shape_of, where

Side: TypeAlias = tuple[Array, list[int]]
"""An array, and the element of it that an op begins at."""


def check_indices(*sides: tuple[SSAValue, Sequence[SSAValue]]) -> None:
    """Raise VerifyException where the indices of one of two buffers are not as many as its axes."""
    if any(len(at) != len(shape_of(buffer)) for buffer, at in sides):
        raise VerifyException("expected an index for each axis of both sides")


def two_sides(operands: Sequence[Value], count: int, others: int) -> tuple[Side, Side]:
    """Return both sides of an op whose operands are a buffer, `count` indices, a buffer, its indices, and others."""
    first, second = operands[: 1 + count], operands[1 + count : len(operands) - others]
    return (first[0], [int(i) for i in first[1:]]), (second[0], [int(i) for i in second[1:]])


def strided(op: Operation, array: Array, at: Sequence[int], axes: Sequence[tuple[int, int]]) -> Array:
    """
    Return a view of an array from an element on, along axes of (count, step in bytes).

    Raises Diagnostic where that leaves the memory that the array lies in.
    """
    if any(not 0 <= index < extent for index, extent in zip(at, array.shape, strict=True)):
        raise Diagnostic(f"element {tuple(at)} lies outside of the buffer of shape {array.shape}", where=where(op))
    first = sum(index * step for index, step in zip(at, array.strides, strict=True))
    reach = first + sum((count - 1) * step for count, step in axes if count) + array.itemsize
    end = sum((extent - 1) * step for extent, step in zip(array.shape, array.strides, strict=True)) + array.itemsize
    if reach > end:
        raise Diagnostic(
            "a row leaves its buffer", where=where(op), expected=f"{end} bytes at most", found=f"byte {reach - 1}"
        )
    # The ellipsis keeps an array without axes from becoming a copied scalar.
    start = array[(*(slice(index, index + 1) for index in at), ...)]
    counts, steps = tuple(count for count, _ in axes), tuple(step for _, step in axes)
    return np.lib.stride_tricks.as_strided(start, counts, steps)
