"""Constant causal masks: of several new rows, each attends to the rows up to its own."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, i1, i64
from xdsl.ir import Operation, SSAValue

from ...ir import Array, shape_of
from .nodes import literal, node


def causal_axis(values: Array, axis: int, past: int) -> int | None:
    """
    Return the axis of the new rows of a causal mask of all rows along `axis`, None for another array.

    A causal mask has one value at entries (i, j) with j <= past + i, and another value elsewhere.
    """
    others = [i for i, extent in enumerate(values.shape) if extent != 1 and i != axis]
    if len(others) != 1 or values.shape[others[0]] != values.shape[axis] - past:
        return None
    rows = values.reshape(values.shape[others[0]], -1) if others[0] < axis else values.reshape(values.shape[axis], -1).T
    seen: Any = rows[0, 0]
    hidden: Any = rows[0, -1]
    visible: Array = _along(1, rows.shape[1], 2) <= _along(0, rows.shape[0], 2) + past
    fits = bool((rows[visible] == seen).all()) and bool((rows[~visible] == hidden).all())
    return others[0] if seen != hidden and fits else None


def causal_mask(values: Array, axes: tuple[int, int], rows: int, position: SSAValue, before: Operation) -> SSAValue:
    """
    Insert the causal mask of `rows` rows for new rows from a dynamic position, with the values of a constant mask.

    `axes` are those of the new rows and of all rows; all other extents are 1.
    """
    new, whole = axes
    rank, added = values.ndim, values.shape[new]
    first = node("Cast", [position], TensorType(i64, shape_of(position)), before, to=7)
    own = literal(_along(new, added, rank), i64, before)
    if shape_of(position) != (1,):
        first = node("Reshape", [first, literal([1], i64, before)], TensorType(i64, [1]), before)
    last = node("Add", [own, first], own.type, before)
    columns = literal(_along(whole, rows, rank), i64, before)
    shape = [added if i == new else rows if i == whole else 1 for i in range(rank)]
    seen = node("LessOrEqual", [columns, last], TensorType(i1, shape), before)
    ends = values.flat[0], np.moveaxis(values, new, 0)[0].flat[-1]
    if values.dtype == bool:
        return seen if ends[0] else node("Not", [seen], seen.type, before)
    element: Any = cast(Any, before.results[0].type).element_type
    both = [literal(end, element, before) for end in ends]
    return node("Where", [seen, *both], TensorType(element, shape), before)


def _along(axis: int, count: int, rank: int) -> Array:
    """Return 0, 1, ... along an axis."""
    shape = [count if i == axis else 1 for i in range(rank)]
    return np.arange(count).reshape(shape)
