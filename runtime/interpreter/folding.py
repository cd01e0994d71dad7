"""
Vectorised reductions: sums of products as matrix products, others through `ufunc.reduce`.

Integer results are exact modulo 2^width. A float sum or product of at most `IN_SEQUENCE` terms is computed in its type
and in order, as C does, as is a sum of at most `PRODUCTS_IN_SEQUENCE` products. Any other float sum is computed in f64
and rounded once to its type, so it differs from a sequential sum by at most (K - 1) * eps * sum(|terms|) of that type;
in f64 itself the order is unspecified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation

from ...dialects.core.analysis.extrema import EXTREMA, reduced
from ...dialects.core.scalars import is_float
from ...dialects.core.semantics import SCALAR_RULES
from ...ir import Array
from .bits import dtype_of, round_to, signed, unsigned, width_of, wrap

_UFUNCS: dict[type[Operation], np.ufunc] = {
    arith.AddiOp: np.add,
    arith.MuliOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.MaxUIOp: np.maximum,
    arith.MinUIOp: np.minimum,
    arith.AddfOp: np.add,
    arith.MulfOp: np.multiply,
}
_UNSIGNED = (arith.MaxUIOp, arith.MinUIOp)
_PRODUCTS = (arith.MuliOp, arith.MulfOp)
_SUMS = (arith.AddiOp, arith.AddfOp)
_ROUNDED = (arith.AddfOp, arith.MulfOp)
IN_SEQUENCE = 256
"""
Most terms of a float sum or product in order: the window of a pooling, a short row.

1,024 sums of 256 terms take 1.1 ms in order, 0.2 ms by `ufunc.reduce`.
"""
PRODUCTS_IN_SEQUENCE = 16
"""
Most products of a float sum in order: the window of a depthwise convolution of 3 x 3.

A sum in order of K products passes K times over its results, a matrix product once.
"""

KINDS: dict[type[Operation], Callable[[Operation], type[Operation] | None]] = {}
"""Op class outside of `arith` -> function that returns the equivalent `arith` class."""


def kind_of(op: Operation) -> type[Operation] | None:
    """Return the equivalent `arith` class of an op, None if it cannot be folded."""
    if type(op) in _UFUNCS or type(op) in EXTREMA:
        return type(op)
    return KINDS[type(op)](op) if type(op) in KINDS else None


def is_combiner(op: Operation) -> bool:
    """Return whether an op is an associative and commutative combiner, up to float rounding."""
    return kind_of(op) is not None


def is_sum_of_products(op: Operation, term: Operation) -> bool:
    """Return whether `op` sums the product `term`."""
    return kind_of(op) in _SUMS and kind_of(term) in _PRODUCTS


def neutral(op: Operation) -> Any:
    """Return the neutral element of a combiner."""
    kind, type_ = kind_of(op), op.results[0].type
    dtype = dtype_of(type_)
    if kind in (arith.AddiOp, arith.OrIOp, arith.XOrIOp, arith.MaxUIOp):
        return dtype.type(0)
    if kind is arith.AddfOp:
        return dtype.type(-0.0)
    if kind in (arith.MuliOp, arith.MulfOp):
        return dtype.type(1)
    if kind in (arith.AndIOp, arith.MinUIOp):
        return wrap(np.int64(-1), type_)
    if is_float(type_):
        sign = 1.0 if kind in (arith.MinimumfOp, arith.MinnumfOp) else -1.0
        return dtype.type(np.nan if kind in (arith.MaxnumfOp, arith.MinnumfOp) else sign * np.inf)
    if dtype.kind == "u":
        return np.iinfo(dtype).max if kind is arith.MinSIOp else dtype.type(0)
    highest = np.int64((1 << (width_of(type_) - 1)) - 1)
    return wrap(highest if kind is arith.MinSIOp else -highest - 1, type_)


def fold(op: Operation, initial: Any, values: Array, axes: Sequence[int], extents: Sequence[int]) -> Array:
    """
    Combine the initial accumulator with `values`, broadcast to `extents` along `axes`, by the combiner `op`.

    The axes are kept with extent 1.
    """
    if any(extents[axis] == 0 for axis in axes):
        return np.asarray(initial)
    shape = list(np.broadcast_shapes(values.shape, (1,) * len(extents)))
    for axis in axes:
        shape[axis] = extents[axis]
    spread = np.broadcast_to(values, shape)
    kind, type_ = kind_of(op), op.results[0].type
    assert kind is not None
    if kind in _ROUNDED and prod(extents[axis] for axis in axes) <= IN_SEQUENCE:
        dtype = dtype_of(type_)
        start = np.asarray(initial, dtype).reshape(np.shape(initial) or (1,) * len(extents))
        return in_sequence(_UFUNCS[kind], start, spread.astype(dtype, copy=False), axes)
    return combine(op, initial, _folded(kind, spread, axes, type_))


def _folded(kind: type[Operation], values: Array, axes: Sequence[int], type_: Attribute) -> Array:
    """Fold the elements along axes, kept with extent 1; float sums and products in f64, unrounded."""
    if kind in EXTREMA:
        return reduced(kind, values, axes)
    if is_float(type_):
        wide = np.float64 if kind in _ROUNDED else values.dtype
        return _UFUNCS[kind].reduce(values.astype(wide), axis=tuple(axes), keepdims=True)
    reading = unsigned(values, type_) if kind in _UNSIGNED else signed(values)
    return wrap(_UFUNCS[kind].reduce(reading, axis=tuple(axes), keepdims=True, dtype=reading.dtype), type_)


def in_sequence(function: np.ufunc, initial: Array, values: Array, axes: Sequence[int]) -> Array:
    """Combine elements along axes, the last one innermost, one after another; the axes are kept with extent 1."""
    terms = np.moveaxis(values, tuple(axes), tuple(range(len(axes))))
    count = prod(terms.shape[: len(axes)])
    kept = [1 if axis in axes else extent for axis, extent in enumerate(values.shape)]
    total = np.broadcast_to(initial, np.broadcast_shapes(np.shape(initial), kept))
    for term in terms.reshape(count, *kept):
        total = function(total, term)
    return total


def sum_in_sequence(values: Array, axes: Sequence[int]) -> Array:
    """Add f32 elements along axes, the last one innermost, one after another; the axes are kept with extent 1."""
    return in_sequence(np.add, np.array(-0.0, np.float32), values, axes)


def sum_of_products(
    op: Operation, initial: Any, a: Array, b: Array, axes: Sequence[int], extents: Sequence[int]
) -> Array:
    """
    Add the products a * b along `axes`, broadcast to `extents`, to the initial accumulator by the sum `op`.

    The axes are kept with extent 1. Both arrays have an axis for each of `extents`, full or of extent 1.
    """
    type_ = op.results[0].type
    if not is_float(type_) or prod(extents[axis] for axis in axes) > PRODUCTS_IN_SEQUENCE:
        return combine(op, initial, contract(a, b, axes, extents, type_))
    total = np.asarray(initial, dtype_of(type_))
    for point in product(*(range(extents[axis]) for axis in axes)):
        at = dict(zip(axes, point, strict=True))
        total = total + at_point(a, at) * at_point(b, at)
    return total


def at_point(values: Array, at: Mapping[int, int]) -> Array:
    """Return the part of an array at indices of axes, kept with extent 1; axes of extent 1 are invariant."""
    return values[
        tuple(slice(at[d], at[d] + 1) if d in at and n > 1 else slice(None) for d, n in enumerate(values.shape))
    ]


def combine(op: Operation, initial: Array, folded: Array) -> Array:
    """Combine the initial accumulator with a sum of products or a fold; float sums are rounded."""
    kind = kind_of(op)
    if kind in _ROUNDED:
        return round_to(_UFUNCS[kind](np.asarray(initial, np.float64), folded), op.results[0].type)
    return SCALAR_RULES[type(op)](op, initial, folded)


def contract(a: Array, b: Array, axes: Sequence[int], extents: Sequence[int], type_: Attribute) -> Array:
    """
    Compute the sum of a * b along `axes`, broadcast to `extents`; the axes are kept with extent 1.

    Both arrays have an axis for each of `extents`, full or of extent 1. Integers are summed modulo 2^64 and wrapped to
    `type_`, in floats if every partial sum is exact there. Floats are returned in f64, unrounded.
    """
    floating = is_float(type_)
    exact = np.float64 if floating else np.int64
    a, b, factor = _sum_alone(a, b, axes, extents, exact)
    batch = [i for i in range(len(extents)) if i not in axes and a.shape[i] != 1 and b.shape[i] != 1]
    inner = [i for i in axes if a.shape[i] != 1]
    rows = [i for i in range(len(extents)) if i not in batch and i not in inner and a.shape[i] != 1]
    columns = [i for i in range(len(extents)) if i not in batch and i not in inner and b.shape[i] != 1]
    depth = prod(a.shape[i] for i in inner)
    carrier = np.float64 if floating else _carrier(a, b, depth)
    left = _matrices(a, batch, rows, inner, carrier)
    right = _matrices(b, batch, inner, columns, carrier)
    values = _multiply(left, right)
    sizes = [a.shape[i] for i in (*batch, *rows)]
    sizes += [b.shape[i] for i in columns]
    spread = _restore(values.reshape(sizes), batch + rows + columns, len(extents))
    total = spread.astype(exact, copy=False) * exact(factor)
    return total if floating else wrap(total, type_)


def _sum_alone(a: Array, b: Array, axes: Sequence[int], extents: Sequence[int], exact: Any) -> tuple[Array, Array, int]:
    """Sum each factor along the axes that only it varies with; axes without variation become a scalar factor."""
    factor = 1
    for axis in axes:
        if a.shape[axis] == 1 and b.shape[axis] == 1:
            factor *= extents[axis]
    only_a = tuple(axis for axis in axes if a.shape[axis] != 1 and b.shape[axis] == 1)
    only_b = tuple(axis for axis in axes if b.shape[axis] != 1 and a.shape[axis] == 1)
    if only_a:
        a = a.sum(axis=only_a, keepdims=True, dtype=exact)
    if only_b:
        b = b.sum(axis=only_b, keepdims=True, dtype=exact)
    return a, b, factor


def _carrier(a: Array, b: Array, depth: int) -> Any:
    """Return the fastest type in which every partial sum of `depth` products is exact modulo 2^64."""
    bound = depth * _largest(a) * _largest(b)
    if bound < 1 << 24:
        return np.float32
    return np.float64 if bound < 1 << 53 else np.int64


def _largest(values: Array) -> int:
    return max(abs(int(values.min(initial=0))), abs(int(values.max(initial=0))))


def _matrices(values: Array, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int], dtype: Any) -> Array:
    order = [*batch, *rows, *columns]
    rest = [axis for axis in range(values.ndim) if axis not in order]
    moved = values.transpose(order + rest).astype(dtype)
    first, second = len(batch), len(batch) + len(rows)
    return moved.reshape(prod(moved.shape[:first]), prod(moved.shape[first:second]), prod(moved.shape[second:]))


def _multiply(left: Array, right: Array) -> Array:
    batch, rows, inner = left.shape
    if batch > 1000 and rows * inner * right.shape[2] < 64:
        return np.einsum("bmk,bkn->bmn", left, right)
    return np.matmul(left, right)


def _restore(values: Array, axes: Sequence[int], rank: int) -> Array:
    """Transpose an array with the given axes to rank `rank`; other axes have extent 1."""
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    extents = dict(zip(axes, values.shape, strict=True))
    return values.transpose(order).reshape([extents.get(axis, 1) for axis in range(rank)])
