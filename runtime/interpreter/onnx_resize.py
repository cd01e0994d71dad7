"""
Semantics of Resize with `pytorch_half_pixel` to extent 1: sampled at 0 by the standard, at -0.5 by ONNX's reference.

Source: https://onnx.ai/onnx/operators/onnx__Resize.html, coordinate_transformation_mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, shape_of


def reads_at_zero(op: OnnxOp) -> list[int]:
    """Return the axes of a Resize to extent 1, which are sampled at 0."""
    if op.attribute("coordinate_transformation_mode") != "pytorch_half_pixel":
        return []
    extents = zip(shape_of(op.operands[0]), shape_of(op.results[0]), strict=True)
    return [axis for axis, (extent, count) in enumerate(extents) if count == 1 and extent > 1]


def resize(reference: Callable[[Array], Any], op: OnnxOp, x: Array, *sampling: Array | None) -> Array:
    """
    Compute a Resize of x; `reference` is the operator, on f64 in the shape of x.

    Along an axis sampled at 0, all elements are first set to the sample, so that the reference reads it anywhere.
    """
    wide = x.astype(np.float64)
    for axis, factor in _factors(op, x.shape, *sampling).items():
        taps, weights = _taps(op, x.shape[axis], factor)
        read = np.tensordot(wide.take(taps, axis), weights, (axis, 0))
        wide = np.broadcast_to(np.expand_dims(read, axis), wide.shape)
    values = np.asarray(reference(wide))
    if x.dtype.kind not in "iu":
        return values
    limits = np.iinfo(x.dtype)
    return np.rint(values).clip(limits.min, limits.max)


def _factors(
    op: OnnxOp,
    shape: Sequence[int],
    roi: Array | None = None,
    scales: Array | None = None,
    sizes: Array | None = None,
) -> dict[int, float]:
    """Return the scale factor of each axis sampled at 0."""
    axes = [int(axis) % len(shape) for axis in op.attribute("axes") or range(len(shape))]
    if scales is not None and scales.size:
        factors = [float(scale) for scale in scales]
    else:
        factors = [int(size) / shape[axis] for size, axis in zip(sizes if sizes is not None else (), axes, strict=True)]
        choose = {"not_larger": min, "not_smaller": max}.get(op.attribute("keep_aspect_ratio_policy"))
        factors = factors if choose is None else [choose(factors)] * len(axes)
    read = reads_at_zero(op)
    return {axis: factor for axis, factor in zip(axes, factors, strict=True) if axis in read}


def _taps(op: OnnxOp, extent: int, factor: float) -> tuple[Array, Array]:
    """Return the elements of the sample at 0, and their weights; there are several with a filter only."""
    if not op.attribute("antialias") or factor >= 1:
        return np.zeros(1, np.int64), np.ones(1)
    reach = 1 if op.attribute("mode") == "linear" else 2
    taps = np.arange(-ceil(reach / factor), ceil(reach / factor) + 1)
    x, a = np.abs(taps) * factor, op.attribute("cubic_coeff_a")
    if reach == 1:
        weights = np.clip(1 - x, 0, 1)
    else:
        far = a * (((x - 5) * x + 8) * x - 4)
        weights = np.where(x <= 1, ((a + 2) * x - (a + 3)) * x * x + 1, np.where(x < 2, far, 0))
    if op.attribute("exclude_outside"):
        weights = np.where((taps < 0) | (taps >= extent), 0, weights)
    return taps.clip(0, extent - 1), weights / weights.sum()
