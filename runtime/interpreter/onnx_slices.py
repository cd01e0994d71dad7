"""Semantics of Slice and Pad where ONNX's reference differs from the standard: limits of slices, negative padding."""

from __future__ import annotations

import numpy as np

from ...dialects.onnx.schema import OnnxOp
from ...ir import Array


def sliced(
    op: OnnxOp, x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    """Return a slice of x; starts and ends count from the end where they are negative, and are then limited to x."""
    places = range(len(starts)) if axes is None else axes
    for start, end, axis, step in zip(starts, ends, places, [1] * len(starts) if steps is None else steps, strict=True):
        size, by = x.shape[int(axis)], int(step)
        if not size:
            continue
        low, high = (0, size) if by > 0 else (-1, size - 1)
        first, last = (min(max(int(bound) + size * (bound < 0), low), high) for bound in (start, end))
        x = np.take(x, range(max(first, 0), last, by), int(axis))
    return x


def padded(op: OnnxOp, x: Array, pads: Array, value: Array | None = None, axes: Array | None = None) -> Array:
    """
    Return x with elements before and after each of `axes`, or without elements where padding is negative.

    Elements are a constant, or those of x without the elements that negative padding removes, by the mode.
    """
    places = [*range(x.ndim)] if axes is None else [int(axis) % x.ndim for axis in axes]
    widths = {axis: (int(pads[i]), int(pads[len(places) + i])) for i, axis in enumerate(places)}
    both = [widths.get(axis, (0, 0)) for axis in range(x.ndim)]
    kept = tuple(slice(max(0, -begin), n - max(0, -end)) for n, (begin, end) in zip(x.shape, both, strict=True))
    added = [(max(0, begin), max(0, end)) for begin, end in both]
    mode = op.attribute("mode")
    if mode != "constant":
        return np.pad(x[kept], added, mode=mode)
    return np.pad(x[kept], added, constant_values=0 if value is None else value.item())
