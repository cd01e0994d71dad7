"""
Operands of structured kernels as arrays over the iteration domain.

Such an array has one axis per dimension of the domain, of extent 1 if the operand is invariant along it, so that all
operands broadcast. It is a strided view if the map is affine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.affine_form import Linear, form_of
from ...errors import Diagnostic
from ...ir import Array, where
from .arithmetic import evaluate_affine


def operand_view(array: Array, map: AffineMap, bounds: Sequence[int], fill: Any = None) -> Array:
    """
    Return `array[map(p)]` for every point p of the box `bounds`, with `fill` out of bounds.

    Without a fill the result is a writable view of the array if the map is affine. Raises Diagnostic for an access out
    of bounds without a fill.
    """
    used = {d for expr in map.results for d in expr.used_dims()}
    shape = tuple(extent if d in used else 1 for d, extent in enumerate(bounds))
    if 0 in shape:
        return np.empty(shape, array.dtype)
    forms = _affine_forms(map)
    if forms is None:
        return _gather(array, map, bounds, fill)
    ranges = [form.interval(bounds) for form in forms]
    margins = [
        (max(0, -low), max(0, high - extent + 1)) for (low, high), extent in zip(ranges, array.shape, strict=True)
    ]
    if any(any(margin) for margin in margins):
        if fill is None:
            raise _outside(map, bounds, array.shape)
        array = np.pad(array, margins, constant_values=fill)
    starts = [form.constant + margin[0] for form, margin in zip(forms, margins, strict=True)]
    strides = [0] * len(bounds)
    for form, stride in zip(forms, array.strides, strict=True):
        for dim, factor in cast("Sequence[tuple[int, int]]", form.terms):
            strides[dim] += factor * stride
    corner = array[(*(slice(start, None) for start in starts), ...)]
    return as_strided(corner, shape, [stride if shape[d] > 1 else 0 for d, stride in enumerate(strides)])


def _affine_forms(map: AffineMap) -> list[Linear] | None:
    """Return the affine forms of a map's results, None if one is not affine or has a division."""
    forms = [form for expr in map.results if (form := form_of(expr)) is not None and not form.divides]
    return forms if len(forms) == len(map.results) else None


def _outside(map: AffineMap, bounds: Sequence[int], shape: Sequence[int]) -> Diagnostic:
    return Diagnostic(
        f"the map {map} over {'x'.join(map_extents(bounds))} points is out of bounds of an operand",
        expected="indices inside of the operand's shape",
        found=f"an operand of shape {list(shape)}",
    )


def map_extents(bounds: Sequence[int]) -> list[str]:
    """Format extents as texts."""
    return [str(bound) for bound in bounds]


def point_indices(map: AffineMap, bounds: Sequence[int]) -> list[Array]:
    """Return an index array per result of the map, over the iteration domain."""
    dims = np.indices(bounds, sparse=True)
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
    """Return `table[indices]` for arrays of indices that broadcast. Raises Diagnostic for an index out of bounds."""
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
    """Store `values`, broadcast over the iteration domain, at `array[map(p)]`. Raises Diagnostic out of bounds."""
    if 0 in bounds:
        return
    if _affine_forms(map) is not None:
        operand_view(array, map, bounds)[...] = values
        return
    indices = point_indices(map, bounds)
    if any(index.min() < 0 or index.max() >= extent for index, extent in zip(indices, array.shape, strict=True)):
        raise _outside(map, bounds, array.shape)
    array[tuple(indices)] = np.broadcast_to(values, np.broadcast_shapes(*(index.shape for index in indices)))
