"""
Minimum and maximum of floats, of arrays and scalars, as LLVM's `APFloat` and mlir-opt fold them.

-0.0 is less than 0.0. `minimum` and `maximum` of a NaN are a NaN, the first one; `minnum` and `maxnum` are the other
operand, of two NaNs the second one. NumPy's own leave the sign of a zero, and which NaN, to the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from ....ir import Array


def minimum(a: Array, b: Array) -> Array:
    """Return the lesser of two floats; a NaN if one is."""
    return np.minimum(a, b) if _is_plain(a, b) else _propagating(a, b, _lesser(a, b))


def maximum(a: Array, b: Array) -> Array:
    """Return the greater of two floats; a NaN if one is."""
    return np.maximum(a, b) if _is_plain(a, b) else _propagating(a, b, ~_lesser(a, b))


def minnum(a: Array, b: Array) -> Array:
    """Return the lesser of two floats; the other one if one is a NaN."""
    return np.minimum(a, b) if _is_plain(a, b) else _ignoring(a, b, _lesser(a, b))


def maxnum(a: Array, b: Array) -> Array:
    """Return the greater of two floats; the other one if one is a NaN."""
    return np.maximum(a, b) if _is_plain(a, b) else _ignoring(a, b, ~_lesser(a, b))


EXTREMA: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.MinimumfOp: minimum,
    arith.MaximumfOp: maximum,
    arith.MinnumfOp: minnum,
    arith.MaxnumfOp: maxnum,
}
"""Op class -> its function of floats."""

_PLAIN: dict[type[Operation], np.ufunc] = {
    arith.MinimumfOp: np.minimum,
    arith.MaximumfOp: np.maximum,
    arith.MinnumfOp: np.minimum,
    arith.MaxnumfOp: np.maximum,
}


def reduced(kind: type[Operation], values: Array, axes: Sequence[int]) -> Array:
    """Fold an array by an op of `EXTREMA` along axes, in row-major order; they are kept with extent 1."""
    if _is_plain(values):
        return _PLAIN[kind].reduce(values, axis=tuple(axes), keepdims=True)
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    shape = [1 if axis in axes else extent for axis, extent in enumerate(values.shape)]
    rest = values.transpose([*kept, *sorted(axes)]).reshape([*(values.shape[axis] for axis in kept), -1])
    while rest.shape[-1] > 1:
        whole = rest.shape[-1] // 2 * 2
        pairs = EXTREMA[kind](rest[..., :whole:2], rest[..., 1:whole:2])
        rest = np.concatenate([pairs, rest[..., whole:]], axis=-1)
    return rest.reshape(shape)


def _is_plain(*operands: Array) -> bool:
    """Return whether no operand has a -0.0 or a NaN."""
    return not any(_has_negative_zero(array) or np.isnan(array).any() for array in map(np.asarray, operands))


def _has_negative_zero(values: Array) -> bool:
    bits = values.view(f"u{values.dtype.itemsize}")
    return bool((bits == 1 << (8 * values.dtype.itemsize - 1)).any())


def _lesser(a: Array, b: Array) -> Array:
    """Return a mask of the pairs whose first number is the lesser one, or the same."""
    return np.where(np.equal(a, b), np.signbit(a) | ~np.signbit(b), np.less(a, b))


def _propagating(a: Array, b: Array, takes_first: Array) -> Array:
    return _chosen(np.isnan(a) | (takes_first & ~np.isnan(b)), a, b)


def _ignoring(a: Array, b: Array, takes_first: Array) -> Array:
    return _chosen(np.isnan(b) & ~np.isnan(a) | (takes_first & ~np.isnan(a)), a, b)


def _chosen(takes_first: Array, a: Array, b: Array) -> Any:
    result = np.where(takes_first, a, b)
    return result[()] if result.ndim == 0 else result
