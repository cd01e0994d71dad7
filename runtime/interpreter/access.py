"""
Operands of structured kernels as arrays over the iteration space.

Such an array has one axis for every dimension of the space, of extent 1 along those that the operand does not vary
with, so that the arrays of all operands broadcast. It is a strided view wherever the map is affine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from ...errors import Diagnostic
from ...ir import Array, where
from .arithmetic import evaluate_affine

Linear = tuple[list[int], int]
"""Coefficients of the dimensions, and the constant term."""


def linear_form(expr: AffineExpr, dims: int) -> Linear | None:
    """Return an expression as a sum of multiples of dimensions and a constant; None if it is no such sum."""
    match expr:
        case AffineConstantExpr():
            return [0] * dims, expr.value
        case AffineDimExpr():
            return [int(d == expr.position) for d in range(dims)], 0
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add | AffineBinaryOpKind.Mul):
            left, right = linear_form(expr.lhs, dims), linear_form(expr.rhs, dims)
            if left is None or right is None:
                return None
            if expr.kind is AffineBinaryOpKind.Add:
                return [a + b for a, b in zip(left[0], right[0], strict=True)], left[1] + right[1]
            return _product(left, right)
        case _:
            return None


def _product(left: Linear, right: Linear) -> Linear | None:
    if any(left[0]):
        left, right = right, left
    if any(left[0]):
        return None
    return [left[1] * c for c in right[0]], left[1] * right[1]


def operand_view(array: Array, map: AffineMap, bounds: Sequence[int], fill: Any = None) -> Array:
    """
    Return `array[map(p)]` for every point p of the box `bounds`, with `fill` where the map leaves the array.

    Without a fill the result is a writable view of the array if the map is affine. Raises Diagnostic if the map leaves
    the array and there is no fill.
    """
    used = {d for expr in map.results for d in expr.used_dims()}
    shape = tuple(extent if d in used else 1 for d, extent in enumerate(bounds))
    if 0 in shape:
        return np.empty(shape, array.dtype)
    forms = [linear_form(expr, len(bounds)) for expr in map.results]
    if any(form is None for form in forms):
        return _gather(array, map, bounds, fill)
    linear = cast("list[Linear]", forms)
    ranges = [_range(form, bounds) for form in linear]
    margins = [
        (max(0, -low), max(0, high - extent + 1)) for (low, high), extent in zip(ranges, array.shape, strict=True)
    ]
    if any(any(margin) for margin in margins):
        if fill is None:
            raise _outside(map, bounds, array.shape)
        array = np.pad(array, margins, constant_values=fill)
    starts = [constant + margin[0] for (_, constant), margin in zip(linear, margins, strict=True)]
    strides = [
        sum(form[0][d] * stride for form, stride in zip(linear, array.strides, strict=True)) for d in range(len(bounds))
    ]
    corner = array[(*(slice(start, None) for start in starts), ...)]
    return as_strided(corner, shape, [stride if shape[d] > 1 else 0 for d, stride in enumerate(strides)])


def _range(form: Linear, bounds: Sequence[int]) -> tuple[int, int]:
    ends = [c * (extent - 1) for c, extent in zip(form[0], bounds, strict=True)]
    return form[1] + sum(min(0, end) for end in ends), form[1] + sum(max(0, end) for end in ends)


def _outside(map: AffineMap, bounds: Sequence[int], shape: Sequence[int]) -> Diagnostic:
    return Diagnostic(
        f"the map {map} over {'x'.join(map_extents(bounds))} points leaves an operand",
        expected="indices inside of the operand's shape",
        found=f"an operand of shape {list(shape)}",
    )


def map_extents(bounds: Sequence[int]) -> list[str]:
    """Return extents as texts."""
    return [str(bound) for bound in bounds]


def point_indices(map: AffineMap, bounds: Sequence[int]) -> list[Array]:
    """Return an index array per result of the map, over the iteration space."""
    dims = [
        np.arange(extent).reshape([-1 if axis == d else 1 for axis in range(len(bounds))])
        for d, extent in enumerate(bounds)
    ]
    origin = np.zeros((1,) * len(bounds), np.int64)
    return [origin + evaluate_affine(expr, list(dims), []) for expr in map.results]


def _gather(array: Array, map: AffineMap, bounds: Sequence[int], fill: Any) -> Array:
    indices = point_indices(map, bounds)
    inside = np.ones((1,) * len(bounds), np.bool_)
    for index, extent in zip(indices, array.shape, strict=True):
        inside = inside & (index >= 0) & (index < extent)
    if inside.all():
        return array[tuple(indices)]
    if fill is None:
        raise _outside(map, bounds, array.shape)
    clipped = tuple(np.clip(index, 0, extent - 1) for index, extent in zip(indices, array.shape, strict=True))
    return np.where(inside, array[clipped], array.dtype.type(fill))


def taken(op: Any, table: Array, indices: Sequence[Array]) -> Array:
    """Return `table[indices]`, for arrays of indices that broadcast. Raises Diagnostic where one leaves the table."""
    for axis, (index, extent) in enumerate(zip(indices, table.shape, strict=True)):
        if np.size(index) and not (0 <= np.min(index) and np.max(index) < extent):
            raise Diagnostic(
                f"'{op.name}' is out of bounds along axis {axis}",
                where=where(op),
                expected=f"0 to {extent - 1}",
                found=f"{np.min(index)} to {np.max(index)}",
            )
    return table[tuple(indices)]


def write_points(array: Array, map: AffineMap, bounds: Sequence[int], values: Array) -> None:
    """Store `values`, which broadcast over the iteration space, at `array[map(p)]`; raises Diagnostic outside of it."""
    if 0 in bounds:
        return
    if all(linear_form(expr, len(bounds)) for expr in map.results):
        operand_view(array, map, bounds)[...] = values
        return
    indices = point_indices(map, bounds)
    if any(index.min() < 0 or index.max() >= extent for index, extent in zip(indices, array.shape, strict=True)):
        raise _outside(map, bounds, array.shape)
    array[tuple(indices)] = np.broadcast_to(values, np.broadcast_shapes(*(index.shape for index in indices)))
