"""Builders of data movement at the tensor level: transposes, concatenations, selections along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i32, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.scalars import scalar_attr
from ...ir import element_of, shape_of
from .code import Code, computed, copied
from .lowerer import Lowerer, broadcast_map

_MANY = 8
"""The number of stretches from which on indices are looked up in a table."""


def with_axis(shape: Sequence[int], axis: int, extent: int) -> list[int]:
    """Return a shape with another extent along an axis."""
    return [extent if i == axis else old for i, old in enumerate(shape)]


def transposed(lower: Lowerer, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """Append a tensor with its axes in another order."""
    if list(order) == list(range(len(order))):
        return value
    shape = shape_of(value)
    out = lower.empty([shape[axis] for axis in order], element_of(value))
    return lower.op(linalg.TransposeOp(value, out, DenseArrayBase.from_list(i64, list(order)), out.type))


def joined(lower: Lowerer, parts: Sequence[SSAValue], axis: int) -> SSAValue:
    """Append the tensors one after the other along an axis; those without elements are left out."""
    full = [part for part in parts if 0 not in shape_of(part)]
    if len(full) <= 1:
        return full[0] if full else parts[0]
    total = sum(shape_of(part)[axis] for part in full)
    kind = TensorType(cast(Any, element_of(full[0])), with_axis(shape_of(full[0]), axis, total))
    return lower.op(
        tensor.ConcatOp.build(operands=[full], result_types=[kind], properties={"dim": scalar_attr(axis, i64)})
    )


def part_of(lower: Lowerer, value: SSAValue, axis: int, start: int, extent: int, step: int = 1) -> SSAValue:
    """Append every `step`-th of the parts of a tensor along an axis, from `start` on."""
    shape = shape_of(value)
    if extent == 0:
        return lower.empty(with_axis(shape, axis, 0), element_of(value))
    if (start, extent, step) == (0, shape[axis], 1):
        return value
    rank = len(shape)
    if step < 1:
        dims = AffineMap.identity(rank).results
        place = dims[axis] * step + start if step else AffineExpr.constant(start)
        map = AffineMap(rank, 0, (*dims[:axis], place, *dims[axis + 1 :]))
        return copied(lower, value, map, with_axis(shape, axis, extent))
    offsets, strides = with_axis([0] * rank, axis, start), with_axis([1] * rank, axis, step)
    return lower.extract(value, offsets, with_axis(shape, axis, extent), strides)


def picked(lower: Lowerer, value: SSAValue, axis: int, indices: Sequence[int]) -> SSAValue:
    """
    Append a gather of a tensor along an axis at known indices.

    Stretches of equal steps are slices or kernels with an affine map, and joined; so are equal runs of each index.
    With many stretches, each index is looked up in a table.
    """
    runs = _runs(indices) or [(0, 0, 1)]
    if len(runs) <= _MANY:
        return joined(lower, [part_of(lower, value, axis, *run) for run in runs], axis)
    shape = with_axis(shape_of(value), axis, len(indices))
    dims = AffineMap.identity(len(shape)).results
    if (repeated := _repeats(indices)) is not None:
        start, before, count = repeated
        place = (dims[axis] + before) // count + start
        return copied(lower, value, AffineMap(len(shape), 0, (*dims[:axis], place, *dims[axis + 1 :])), shape)
    table = lower.array(np.array(indices, np.int32), i32)

    def build(code: Code, index: SSAValue) -> SSAValue:
        place = [code.as_index(index) if i == axis else code.index(i) for i in range(len(shape))]
        return code.take(value, place)

    return computed(lower, [table], [AffineMap(len(shape), 0, (dims[axis],))], shape, element_of(value), build)


def _runs(indices: Sequence[int]) -> list[tuple[int, int, int]]:
    """
    Return (start, length, step) of stretches of equal steps, as long as possible.

    Two indices of which the second is less are two stretches: their parts are views.
    """
    runs: list[tuple[int, int, int]] = []
    place = 0
    while place < len(indices):
        step = indices[place + 1] - indices[place] if place + 1 < len(indices) else 1
        length = 1
        while place + length < len(indices) and indices[place + length] == indices[place] + length * step:
            length += 1
        length, step = (1, 1) if step < 0 and length < 3 else (length, step)
        runs.append((indices[place], length, step))
        place += length
    return runs


def _repeats(indices: Sequence[int]) -> tuple[int, int, int] | None:
    """Return (start, before, count) where index i is `start + (i + before) // count`."""
    changes = [i for i in range(1, len(indices)) if indices[i] != indices[i - 1]]
    if len(changes) < 2:
        return None
    count = changes[1] - changes[0]
    before = (-changes[0]) % count
    first = indices[0] - before // count
    fits = all(index == first + (i + before) // count for i, index in enumerate(indices))
    return (first, before, count) if fits else None


def broadcast(lower: Lowerer, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """Append a tensor repeated along axes of extent 1 and along new axes before all others, as NumPy does."""
    if list(shape_of(value)) == list(shape):
        return value
    return copied(lower, value, broadcast_map(shape_of(value), shape), shape)


def tiled(lower: Lowerer, value: SSAValue, repeats: Sequence[int]) -> SSAValue:
    """Append a tensor repeated as a whole along each axis."""
    shape = shape_of(value)
    split: list[int] = []
    places: list[int] = []
    for extent, count in zip(shape, repeats, strict=True):
        split += [count, extent] if count != 1 else [extent]
        places.append(len(split) - 1)
    if len(split) == len(shape):
        return value
    dims = AffineMap.identity(len(split)).results
    wide = copied(lower, value, AffineMap(len(split), 0, tuple(dims[place] for place in places)), split)
    return lower.reshape(wide, [extent * count for extent, count in zip(shape, repeats, strict=True)])
