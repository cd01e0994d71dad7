"""
Lowerings of Resize and Upsample: axis by axis, each output a weighted sum of a few inputs.

Which inputs, and with which weights, depends on shapes and attributes alone, so it is computed here: the formulas are
those of the operator's specification (https://onnx.ai/onnx/operators/onnx__Resize.html).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.builder import Builder
from ...dialects.core.scalars import is_float
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, element_of, integer_width, shape_of
from .code import Code, computed, converted, copied, folded
from .lowerer import Lowerer, is_unsigned, lowers, unsupported
from .movement import fixed
from .moves import picked, with_axis
from .rules import result_element


@dataclass(frozen=True)
class Sampling:
    """Sampling of an axis of `extent` elements at `count` places, by the operator's attributes."""

    extent: int
    count: int
    scale: float
    roi: tuple[float, float]
    mode: str
    transformation: str
    nearest: str
    antialias: bool
    cubic: float
    exclude_outside: bool

    @property
    def is_identity(self) -> bool:
        """Return whether nothing changes."""
        whole = self.transformation != "tf_crop_and_resize" or self.roi == (0.0, 1.0)
        return self.extent == self.count and isclose(self.scale, 1) and whole

    def places(self) -> Array:
        """Return the place of each output among the inputs, in f64."""
        y, extent = np.arange(self.count, dtype=np.float64), self.extent
        length = self.scale * extent
        match self.transformation:
            case "align_corners":
                return y * (0 if length == 1 else (extent - 1) / (length - 1))
            case "asymmetric":
                return y / self.scale
            case "tf_crop_and_resize":
                start, end = self.roi
                if length == 1:
                    return y * 0 + (start + end) * (extent - 1) / 2
                return start * (extent - 1) + y * (end - start) * (extent - 1) / (length - 1)
            case "pytorch_half_pixel" if self.count == 1:
                return y * 0
            case "half_pixel_symmetric":
                return extent / 2 * (1 - self.count / length) + (y + 0.5) / self.scale - 0.5
            case _:
                return (y + 0.5) / self.scale - 0.5

    def outside(self) -> Array:
        """Return the outputs that are outside of the input, where that makes a difference."""
        places = self.places()
        is_crop = self.transformation == "tf_crop_and_resize"
        return (places < 0) | (places > self.extent - 1) if is_crop else np.zeros(self.count, np.bool_)

    def taps(self) -> tuple[Array, Array]:
        """Return the source indices of each output and their weights: two arrays [count, taps]."""
        places = self.places()
        if self.mode == "nearest":
            chosen = np.array([_nearest(float(place), self.nearest) for place in places])
            return chosen.clip(0, self.extent - 1).reshape(-1, 1).astype(np.int32), np.ones((self.count, 1))
        shrink = min(self.scale, 1.0) if self.antialias else 1.0
        reach = 1 if self.mode == "linear" else 2
        first = floor(-reach / shrink) + 1
        base = np.ceil(places) - 1
        taps = base[:, None] + np.arange(first, 2 - first)
        distance = np.abs(taps - places[:, None]) * shrink
        weights = np.clip(1 - distance, 0, 1) if self.mode == "linear" else _keys(distance, self.cubic)
        if self.exclude_outside:
            weights = np.where((taps < 0) | (taps >= self.extent), 0, weights)
        if self.exclude_outside or self.antialias:
            total = weights.sum(axis=1, keepdims=True)
            weights = weights / np.where(total == 0, 1, total)
        return taps.clip(0, self.extent - 1).astype(np.int32), weights


def _nearest(place: float, rounding: str) -> int:
    """Return the input next to a place."""
    return {
        "round_prefer_floor": lambda: ceil(place - 0.5),
        "round_prefer_ceil": lambda: floor(place + 0.5),
        "floor": lambda: floor(place),
        "ceil": lambda: ceil(place),
    }[rounding]()


def _keys(distance: Array, a: float) -> Array:
    """
    Return the weights of cubic convolution.

    R. Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981.
    """
    x = distance
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


@lowers("Resize", "Upsample")
def _resize(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value, element, result = lower[op.operands[0]], result_element(op), shape_of(op.results[0])
    if 0 in result:
        return [lower.empty(result, element)]
    extrapolated = float(_given(op, "extrapolation_value", 0.0))
    changed = [(axis, sampling) for axis, sampling in enumerate(samplings(op)) if not sampling.is_identity]
    if all(sampling.mode == "nearest" and not sampling.outside().any() for _, sampling in changed):
        for axis, sampling in changed:
            value = picked(lower, value, axis, [int(i) for i in sampling.taps()[0][:, 0]])
        return [value]
    compute = f64 if element == f64 else f32
    unsigned = is_unsigned(op.operands[0])
    value = converted(lower, value, compute, unsigned=unsigned)
    for axis, sampling in changed:
        value = _sampled(lower, value, axis, sampling, extrapolated)
    return [_rounded(lower, value, element, unsigned=unsigned)]


def _given(op: OnnxOp, name: str, default: Any) -> Any:
    """Return an attribute; the default where this version of the operator has none."""
    if name not in op.SCHEMA.attributes:
        return default
    value = op.attribute(name)
    return default if value is None else value


def samplings(op: OnnxOp) -> list[Sampling]:
    """Return the sampling of each axis of a Resize or Upsample. Raises Diagnostic for forms that have no lowering."""
    shape, result = shape_of(op.operands[0]), shape_of(op.results[0])
    rank = len(shape)
    axes = [int(axis) % rank for axis in _given(op, "axes", None) or range(rank)]
    modern = "coordinate_transformation_mode" in op.SCHEMA.attributes
    constants: list[Array | None] = [fixed(op, i, "sizes") if modern else None for i in (1, 2, 3)]
    roi, scales, sizes = constants
    if not modern:
        scales = fixed(op, 1, "scales") if len(op.node_inputs) > 1 else np.array(op.attribute("scales"))
    factors, ranges = [1.0] * rank, [(0.0, 1.0)] * rank
    for position, axis in enumerate(axes):
        if scales is not None and scales.size:
            factors[axis] = float(scales[position])
        elif sizes is not None:
            factors[axis] = int(sizes[position]) / shape[axis]
        if roi is not None and roi.size:
            ranges[axis] = float(roi[position]), float(roi[position + len(axes)])
    policy = _given(op, "keep_aspect_ratio_policy", "stretch")
    if policy != "stretch" and sizes is not None and sizes.size:
        common = (min if policy == "not_larger" else max)(factors[axis] for axis in axes)
        factors = [common if axis in axes else 1.0 for axis in range(rank)]
    mode = _given(op, "mode", "nearest")
    if mode not in ("nearest", "linear", "bilinear", "cubic"):
        raise unsupported(op, f"in mode '{mode}'")
    return [
        Sampling(
            extent,
            count,
            factor,
            area,
            "linear" if mode == "bilinear" else mode,
            _given(op, "coordinate_transformation_mode", "asymmetric"),
            _given(op, "nearest_mode", "floor"),
            bool(_given(op, "antialias", 0)) and factor < 1,
            float(_given(op, "cubic_coeff_a", -0.75)),
            bool(_given(op, "exclude_outside", 0)),
        )
        for extent, count, factor, area in zip(shape, result, factors, ranges, strict=True)
    ]


def _sampled(lower: Lowerer, value: SSAValue, axis: int, sampling: Sampling, extrapolated: float) -> SSAValue:
    """Append the weighted sums along one axis."""
    element, shape = element_of(value), with_axis(shape_of(value), axis, sampling.count)
    taps, weights = sampling.taps()
    outside = sampling.outside()
    weights = np.where(outside[:, None], 0, weights).astype(np.float64 if element == f64 else np.float32)
    starts = np.where(outside, extrapolated, 0).astype(weights.dtype)
    rank, count = len(shape), taps.shape[1]
    dims = AffineMap.identity(rank + 1).results
    table = AffineMap(rank + 1, 0, (dims[axis], dims[rank]))
    start = copied(
        lower, lower.array(starts, element), AffineMap(rank, 0, (AffineMap.identity(rank).results[axis],)), shape
    )

    def build(code: Code, tap: SSAValue, weight: SSAValue, total: SSAValue) -> Sequence[SSAValue]:
        place = [code.as_index(tap) if i == axis else code.index(i) for i in range(rank)]
        return [code.add(total, code.mul(code.take(value, place), weight))]

    inputs = [lower.array(taps, i32), lower.array(weights, element)]
    target = AffineMap(rank + 1, 0, dims[:rank])
    return folded(lower, inputs, [table, table], [*shape, count], [start], target, build)[0]


def _rounded(lower: Lowerer, value: SSAValue, element: Attribute, *, unsigned: bool) -> SSAValue:
    """Append a tensor of floats in another element type: integers are rounded and saturated."""
    if is_float(element):
        return converted(lower, value, element)
    identity = AffineMap.identity(len(shape_of(value)))
    width = integer_width(element) or 64

    def convert(code: Code, x: SSAValue) -> SSAValue:
        return saturated(code, x, element, Range.of_bits(width, signed=not unsigned))

    return computed(lower, [value], [identity], shape_of(value), element, convert)


def saturated(code: Builder, x: SSAValue, element: Attribute, limits: Range) -> SSAValue:
    """Append the nearest integer within limits, in an integer type."""
    wide = Range.of_bits(64, signed=True)
    near = code.clip(code.op(math.RoundEvenOp(x)), wide.low / 2, wide.high / 2)
    number = code.op(arith.FPToSIOp(near, i64))
    return code.convert(code.clip(number, limits.low, min(limits.high, wide.high)), element)
