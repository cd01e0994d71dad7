"""
Sums, products and means of quantised tensors, in 32-bit integers.

The operands are brought to one scale by whole factors: `t = a_factor * (a - a_zero) + b_factor * (b - b_zero)`, of
which the result is `t / 2^n`. Where the scales are to each other as small powers of two all of it is exact, and halves
are rounded to even as QuantizeLinear does; else the factors have so many bits that a result differs only where it lies
next to the middle of two integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, f32, i8, i32, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.windows import Windows, windows_of
from ...ir import Array, element_of, is_unsigned_type, numpy_type, shape_of
from ..lowering.lowerer import constant_of
from ..state.nodes import literal, node
from .quantized import Integers, Quantization, computes, looked_up, moved, quantises, quantization, wide
from .quantized_products import linear, real_constant, uniform_average

_EXACT = 24
"""Integers of so many bits are floats exactly."""
_ROOM = 30
"""The bits of what is rescaled."""
_LEVELS = 256
_DEEPEST = 50
"""The most bits after the point of a factor."""


def _magnitude(number: Fraction | float) -> int:
    """Return the bits of a number before its point, less than 1 for small ones."""
    return frexp(float(number))[1]


@dataclass(frozen=True)
class _Point:
    """After how many bits ratios are cut, and whether that is where they end and all sums are floats exactly."""

    bits: int
    exact: bool

    def whole(self, ratio: Fraction) -> int:
        """Return a ratio in fixed point, rounded to a number of fraction bits."""
        return round(ratio * (1 << self.bits))


def _point(ratios: list[Fraction], most: Fraction) -> _Point | None:
    """Return the binary point of ratios whose sums are up to `most`; None where these are too large."""
    bits = max(ratio.denominator.bit_length() - 1 for ratio in ratios)
    ends = all((1 << bits) % ratio.denominator == 0 for ratio in ratios)
    return _Point(bits, True) if ends and bits + _magnitude(most) <= _EXACT else _room(most)


def _room(most: Fraction) -> _Point | None:
    """Return the largest number of fraction bits at which sums up to `most`, with a zero point, do not overflow."""
    bits = min(_DEEPEST, _ROOM - _magnitude(most + _LEVELS))
    return _Point(bits, False) if bits > 0 else None


def _ratio(scale: float, y: Quantization) -> Fraction:
    return Fraction(scale) / Fraction(y.scale)


def _arithmetic(operator: str, value: SSAValue, number: Array | int, before: Operation) -> SSAValue:
    """Insert a sum or a product of a tensor of 32 bits and a constant."""
    return node(operator, [value, literal(np.array(number), i32, before)], value.type, before)


def _times(value: SSAValue, factor: int, before: Operation) -> SSAValue:
    return value if factor == 1 else _arithmetic("Mul", value, factor, before)


def _plus(value: SSAValue, summand: int, before: Operation) -> SSAValue:
    return value if not summand else _arithmetic("Add", value, summand, before)


def _rounded(
    total: SSAValue, point: _Point, y: Quantization, before: Operation, factor: int = 1, *, zero_first: bool = False
) -> SSAValue:
    """
    Insert `total * factor / 2^bits` plus a zero point, as bytes; rounds half to even where exact, else up.

    With `zero_first`, the zero point is added before rounding: halves go to the other neighbour where it is odd.
    """
    kind = TensorType(cast(Any, y.byte), shape_of(total))
    if point.exact:
        first = y.zero if zero_first and y.zero % 2 else 0
        steps = _plus(_times(total, factor, before), first << point.bits, before)
        scale = literal(np.float32(2.0**point.bits), f32, before)
        zero = literal(np.array(y.zero - first).astype(numpy_type(y.byte)), y.byte, before)
        return node("QuantizeLinear", [steps, scale, zero], kind, before)
    numbers = [literal(np.array(number, np.int64), i64, before) for number in (factor, y.zero << point.bits)]
    signed = int(not is_unsigned_type(y.byte))
    return node("RequantShift", [total, *numbers], kind, before, div=1 << point.bits, n_levels=_LEVELS, signed=signed)


def _is_scalable(reach: int, ratio: Fraction) -> bool:
    """Return whether integers up to `reach` can be multiplied with a ratio."""
    return 0 < reach < 1 << 31 and -_DEEPEST < _magnitude(ratio) < _ROOM


def _scaled(
    total: SSAValue, reach: int, ratio: Fraction, y: Quantization, before: Operation, *, zero_first: bool = False
) -> SSAValue:
    """Insert integers up to `reach` times a ratio, quantised; a ratio without an end is cut after _ROOM bits."""
    point = _point([ratio], ratio * reach + (_LEVELS if zero_first else 0))
    if point is None or not point.exact:
        point = _Point(min(_DEEPEST, _ROOM - _magnitude(ratio)), False)
    return _rounded(total, point, y, before, point.whole(ratio), zero_first=zero_first)


@dataclass(frozen=True)
class _Term:
    """Tensor of bytes and its quantisation."""

    bytes: SSAValue
    quantization: Quantization

    def centred(self, before: Operation) -> SSAValue:
        """Insert the integers less their zero point, of 32 bits."""
        return _plus(wide(self.bytes, before), -self.quantization.zero, before)


@quantises("Add", "Sub")
def _add(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    a, b = (integers.dequantised(value) for value in op.operands)
    if a is None or b is None:
        return _add_constant(integers, op, y, before)
    if _sum_point(a, b, y, zero_first=False) is None:
        return None
    left, right = (_Term(integers.bytes(value), x) for value, x in zip(op.operands, (a, b), strict=True))
    return _sum(left, right, y, before, shape_of(op.results[0]), sign=-1 if op.name == "onnx.Sub" else 1)


def _sum_point(a: Quantization, b: Quantization, y: Quantization, *, zero_first: bool) -> _Point | None:
    """Return the binary point of the sum of two quantised tensors, None where no integers of 32 bits hold it."""
    ratios = [_ratio(a.scale, y), _ratio(b.scale, y)]
    most = ratios[0] * a.widest + ratios[1] * b.widest
    return _point(ratios, most + (_LEVELS if zero_first else 0))


def _sum(
    a: _Term,
    b: _Term,
    y: Quantization,
    before: Operation,
    shape: Sequence[int],
    *,
    sign: int = 1,
    zero_first: bool = False,
) -> SSAValue | None:
    """Insert the sum, or the difference, of two terms as bytes; None where no integers of 32 bits hold it."""
    point = _sum_point(a.quantization, b.quantization, y, zero_first=zero_first)
    if point is None:
        return None
    left, right = (point.whole(_ratio(term.quantization.scale, y)) for term in (a, b))
    right = sign * right
    common = left if left == right else 1
    left, right = left // common, right // common
    terms = [_times(wide(term.bytes, before), factor, before) for term, factor in ((a, left), (b, right))]
    total = node("Add", terms, TensorType(i32, shape), before)
    zeros = left * a.quantization.zero + right * b.quantization.zero
    return _rounded(_plus(total, -zeros, before), point, y, before, common, zero_first=zero_first)


@mentions("MatMul")
def _add_constant(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    """Insert the sum of a tensor of bytes, or of a matrix product, and a constant."""
    constants = [real_constant(value) for value in op.operands]
    if op.name == "onnx.Sub" or (constants[0] is None) == (constants[1] is None):
        return None
    place = 0 if constants[0] is None else 1
    constant, value = cast(Array, constants[1 - place]), op.operands[place]
    if shape_of(value) != shape_of(op.results[0]) or not constant.size or not bool(np.isfinite(constant).all()):
        return None
    source, x = value.owner, integers.dequantised(value)
    if isinstance(source, OnnxOp) and source.name == "onnx.MatMul" and value.has_one_use():
        return linear(integers, source, op.operands[1 - place], y, before)
    if x is None:
        return None
    ratio, steps = _ratio(x.scale, y), constant / y.scale
    most = ratio * x.widest + Fraction(float(np.abs(steps).max()))
    point = _point_for(ratio, steps, most)
    if point is None:
        return None
    factor = point.whole(ratio)
    numbers = (np.rint(steps * 2.0**point.bits) - factor * x.zero).astype(np.int32)
    total = _times(wide(integers.bytes(value), before), factor, before)
    return _rounded(_arithmetic("Add", total, numbers, before), point, y, before)


def _point_for(ratio: Fraction, steps: Array, most: Fraction) -> _Point | None:
    """Return the binary point of a ratio and constants."""
    ends = _point([ratio], most)
    if ends is None or not ends.exact:
        return ends
    every = range(ends.bits, _EXACT - _magnitude(most) + 1)
    whole = (bits for bits in every if bool((np.rint(steps * 2.0**bits) == steps * 2.0**bits).all()))
    bits = next(whole, None)
    return _room(most) if bits is None else _Point(bits, True)


@quantises("Mul")
def _mul(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    a, b = (integers.dequantised(value) for value in op.operands)
    if a is None or b is None or not _has_product(a, b, y):
        return None
    left, right = (_Term(integers.bytes(value), x) for value, x in zip(op.operands, (a, b), strict=True))
    return _product(left, right, y, before, shape_of(op.results[0]))


def _has_product(a: Quantization, b: Quantization, y: Quantization) -> bool:
    """Return whether integers of 32 bits hold the product of two quantised tensors."""
    return _is_scalable(a.widest * b.widest, Fraction(a.scale) * Fraction(b.scale) / Fraction(y.scale))


def _product(
    a: _Term, b: _Term, y: Quantization, before: Operation, shape: Sequence[int], *, zero_first: bool = False
) -> SSAValue:
    """Insert the product of two terms as bytes."""
    left, right = a.quantization, b.quantization
    ratio = Fraction(left.scale) * Fraction(right.scale) / Fraction(y.scale)
    product = node("Mul", [a.centred(before), b.centred(before)], TensorType(i32, shape), before)
    return _scaled(product, left.widest * right.widest, ratio, y, before, zero_first=zero_first)


@computes("QLinearAdd")
def _qlinear_add(op: OnnxOp) -> SSAValue | None:
    a, b, y = (_quantization_at(op, data, scale) for data, scale in ((0, 1), (3, 4), (None, 6)))
    if a is None or b is None or y is None:
        return None
    terms = _Term(op.operands[0], a), _Term(op.operands[3], b)
    return _sum(*terms, y, op, shape_of(op.results[0]), zero_first=True)


@computes("QLinearMul")
def _qlinear_mul(op: OnnxOp) -> SSAValue | None:
    a, b, y = (_quantization_at(op, data, scale) for data, scale in ((0, 1), (3, 4), (None, 6)))
    if a is None or b is None or y is None or not _has_product(a, b, y):
        return None
    terms = _Term(op.operands[0], a), _Term(op.operands[3], b)
    return _product(*terms, y, op, shape_of(op.results[0]), zero_first=True)


def _quantization_at(op: OnnxOp, data: int | None, scale: int) -> Quantization | None:
    """Return the quantisation of an input, or of the result for None, whose zero point follows its scale."""
    value = op.results[0] if data is None else op.operands[data]
    return quantization(op.operands[scale], op.operands[scale + 1], element_of(value))


@quantises("GlobalAveragePool", "ReduceMean")
def _mean(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    value, axes = op.operands[0], _axes(op)
    x, count = integers.dequantised(value), prod(shape_of(value)) // max(1, prod(shape_of(op.results[0])))
    if x is None or axes is None or not count or 0 in shape_of(value):
        return None
    ratio, reach = _ratio(x.scale, y) / count, count * 2 * x.widest
    if not _is_scalable(reach, ratio):
        return None
    keep = 1 if op.name == "onnx.GlobalAveragePool" else int(op.attribute("keepdims"))
    inputs = [wide(integers.bytes(value), before), literal(axes, i64, before)]
    total = node("ReduceSum", inputs, TensorType(i32, shape_of(op.results[0])), before, keepdims=keep)
    return _scaled(_plus(total, -count * x.zero, before), count * x.widest, ratio, y, before)


def _axes(op: OnnxOp) -> Array | None:
    """Return the reduced axes of a mean, one or more; None where they are computed."""
    rank = len(shape_of(op.operands[0]))
    if op.name == "onnx.GlobalAveragePool":
        return np.arange(2, rank)
    axes = np.zeros(0, np.int64) if op.node_input(1) is None else constant_of(op.node_input(1))
    if axes is None or axes.size:
        return axes
    return None if op.attribute("noop_with_empty_axes") else np.arange(rank)


@quantises("AveragePool")
def _average_pool(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    """Insert a convolution with ones, and where windows have several numbers of elements, a factor of each output."""
    average = uniform_average(integers, op, y, before)
    x, kernel = integers.dequantised(op.operands[0]), op.attribute("kernel_shape")
    if average is not None or x is None:
        return average
    sizes, outputs = (shape_of(value)[2:] for value in (op.operands[0], op.results[0]))
    windows = windows_of(op, kernel)
    counts = windows.counts(sizes, outputs, with_padding=bool(op.attribute("count_include_pad")))
    ratio, point = _ratio(x.scale, y), _room(_ratio(x.scale, y) * x.widest)
    if point is None or not _is_scalable(prod(kernel) * x.widest, ratio) or min(windows.begins) < 0:
        return None
    total = _window_sums(integers.bytes(op.operands[0]), x, windows, op, before)
    factors = np.array([point.whole(ratio / int(count)) for count in counts.flat], np.int32)
    return _rounded(_arithmetic("Mul", total, factors.reshape(1, 1, *outputs), before), point, y, before)


def _window_sums(source: SSAValue, x: Quantization, windows: Windows, op: OnnxOp, before: Operation) -> SSAValue:
    """Insert the sums of windows of bytes less their zero point, i32; what is outside of the tensor counts as zero."""
    sizes, outputs, channels = shape_of(source)[2:], shape_of(op.results[0])[2:], shape_of(source)[1]
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(windows.kernel, windows.dilations, strict=True)]
    reached = [
        (output - 1) * stride + span for output, stride, span in zip(outputs, windows.strides, spans, strict=True)
    ]
    ends = [max(0, reach - begin - size) for reach, begin, size in zip(reached, windows.begins, sizes, strict=True)]
    ones = literal(np.ones((channels, 1, *windows.kernel), np.int8), i8, before)
    zero = literal(np.array(x.zero).astype(numpy_type(x.byte)), x.byte, before)
    return node(
        "ConvInteger", [source, ones, zero], TensorType(i32, shape_of(op.results[0])), before,
        strides=windows.strides, dilations=windows.dilations, pads=[*windows.begins, *ends], group=channels,
    )  # fmt: skip


@quantises("Concat")
def _concat(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    if any(integers.form(value) is None and constant_of(value) is None for value in op.operands):
        return None
    parts: list[SSAValue] = []
    for value in op.operands:
        constant = constant_of(value)
        if constant is None:
            parts.append(looked_up(integers, value, y, before))
        else:
            parts.append(literal(y.integers_of(constant).astype(numpy_type(y.byte)), y.byte, before))
    return moved(op, parts, y.byte, before)[0]
