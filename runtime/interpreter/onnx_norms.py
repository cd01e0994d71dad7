"""
Semantics of operators over rows, channels and places where ONNX's reference has none or another.

It sums the squares of LRN for the first channels only, has no magnitudes in LpNormalization, takes the logarithm of
softmax that has vanished, and refuses numbers without axes and indices of fewer places than the data.
"""

from __future__ import annotations

import numpy as np

from ...dialects.onnx.schema import OnnxOp
from ...ir import Array


def log_softmax(op: OnnxOp, x: Array) -> Array:
    """Return `x - max - log(sum(exp(x - max)))` along the axis."""
    if not x.size:
        return x
    axis = op.attribute("axis")
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def reduce_log_sum_exp(op: OnnxOp, x: Array, axes: Array | None = None) -> Array:
    """Return the logarithm of the sum of powers along axes, of all where none are given."""
    chosen = tuple(int(axis) for axis in axes) if axes is not None and axes.size else tuple(range(x.ndim))
    if (axes is None or not axes.size) and op.attribute("noop_with_empty_axes"):
        return x
    highest = x.max(axis=chosen, keepdims=True, initial=-np.inf)
    offset = np.where(np.isfinite(highest), highest, 0)
    total = np.log(np.exp(x - offset).sum(axis=chosen, keepdims=True)) + offset
    return total if op.attribute("keepdims") else total.reshape(np.delete(x.shape, chosen).astype(int))


def lrn(op: OnnxOp, x: Array) -> Array:
    """Return `x / (bias + alpha / size * sum)^beta`, the sum of squares over the `size` channels around each."""
    size, channels = op.attribute("size"), x.shape[1]
    wide = x.astype(np.float64)
    before, after = (size - 1) // 2, size // 2
    squares = np.stack(
        [(wide[:, max(0, c - before) : c + after + 1] ** 2).sum(axis=1) for c in range(channels)], axis=1
    )
    return wide / (op.attribute("bias") + op.attribute("alpha") / size * squares) ** op.attribute("beta")


def lp_normalization(op: OnnxOp, x: Array) -> Array:
    """Return x over the norm of order p along the axis, 0 where the norm is."""
    p = op.attribute("p")
    norm = (np.abs(x) ** p).sum(axis=op.attribute("axis"), keepdims=True) ** (1 / p)
    return np.where(norm == 0, 0, x / np.where(norm == 0, 1, norm))


def global_lp_pool(op: OnnxOp, x: Array) -> Array:
    """Return the norm of order p over the places of each channel."""
    p = op.attribute("p")
    return (np.abs(x) ** p).sum(axis=tuple(range(2, x.ndim)), keepdims=True) ** (1 / p)


def softsign(op: OnnxOp, x: Array) -> Array:
    """Return `x / (1 + |x|)`."""
    return x / (1 + np.abs(x))


def gather_elements(op: OnnxOp, x: Array, indices: Array) -> Array:
    """Return the elements at indices along the axis; along the others indices may have fewer places than x."""
    axis = op.attribute("axis") % x.ndim
    part = tuple(slice(None) if own == axis else slice(size) for own, size in enumerate(indices.shape))
    return np.take_along_axis(x[part], indices.astype(np.int64), axis)
