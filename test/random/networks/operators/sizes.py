"""Random moves by shapes that the graph computes: Shape, arithmetic on it, and operators that take the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import helper

from ..builder import Builder, Operator, Tensor


def _extents(b: Builder, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the extents of some axes as a tensor of i64 with one axis."""
    (shape,) = b.node("Shape", [x], bits=4)
    (chosen,) = b.node("Gather", [shape, b.constant(np.array(axes, np.int64))], bits=4, axis=0)
    return chosen


def joined_axes(b: Builder) -> None:
    """Reshape to the first extent and -1, or to the product of two extents and the rest."""
    x = b.pick_kind("fiu", (2, 3, 4))
    rest = int(np.prod(x.shape[1:]))
    if b.random.random() < 0.5:
        (wanted,) = b.node("Concat", [_extents(b, x, [0]), b.constant(np.array([-1], np.int64))], axis=0)
        b.sized_node("Reshape", [x, wanted], (x.shape[0], rest), x.bits)
        return
    first, second, *others = x.shape
    (joined,) = b.node("Mul", [_extents(b, x, [0]), _extents(b, x, [1])])
    parts = [joined, *([_extents(b, x, list(range(2, len(x.shape))))] if len(x.shape) > 2 else [])]
    (wanted,) = b.node("Concat", parts, axis=0)
    b.sized_node("Reshape", [x, wanted], (first * second, *others), x.bits)


def shape_of_another(b: Builder) -> None:
    """Expand a number, or fill a tensor, to the shape of a value, and add the two."""
    x = b.pick_kind("f", (1, 2, 3))
    (shape,) = b.node("Shape", [x])
    one = b.constant(np.ones((1,) * b.random.choice((0, 1)), x.dtype))
    ones = b.sized_node("Expand", [one, shape], x.shape, 1)
    b.node("Add", [x, ones], bits=x.bits + 1)


def without_the_last(b: Builder) -> None:
    """Slice up to the extent of an axis less one, or from half of it."""
    x = b.pick_kind("fiu", (1, 2, 3))
    axis = max(range(len(x.shape)), key=lambda index: x.shape[index])
    extent, along = _extents(b, x, [axis]), b.constant(np.array([axis], np.int64))
    if b.random.random() < 0.5:
        (last,) = b.node("Sub", [extent, b.constant(np.array([1], np.int64))])
        first, kept = b.constant(np.array([0], np.int64)), x.shape[axis] - 1
    else:
        (first,) = b.node("Div", [extent, b.constant(np.array([2], np.int64))])
        last, kept = extent, x.shape[axis] - x.shape[axis] // 2
    b.sized_node("Slice", [x, first, last, along], (*x.shape[:axis], kept, *x.shape[axis + 1 :]), x.bits)


def positions(b: Builder) -> None:
    """Add the index along the last axis, as position embeddings do."""
    x = b.pick_kind("f", (1, 2, 3))
    extent = _extents(b, x, [len(x.shape) - 1])
    (count,) = b.node("Squeeze", [extent, b.constant(np.array([0], np.int64))], bits=4)
    numbers = [b.constant(np.array(number, np.int64)) for number in (0, 1)]
    indices = b.sized_node("Range", [numbers[0], count, numbers[1]], x.shape[-1:], 4)
    (cast,) = b.node("Cast", [indices], bits=4, to=helper.np_dtype_to_tensor_dtype(x.dtype))
    b.node("Add", [x, cast], bits=x.bits + 1)


OPERATORS: tuple[Operator, ...] = (joined_axes, shape_of_another, without_the_last, positions)
