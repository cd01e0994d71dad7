"""
Convolutions and matrix products between DequantizeLinear and QuantizeLinear, as QLinearConv and QLinearMatMul.

A bias becomes 32-bit integers of the scale x_scale * w_scale, rounded half to even as ONNX Runtime rounds one of
floats; QLinearMatMul has none, so that a matrix product with a bias is a convolution of 1x1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType, f32, i32, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, element_of, integer_width, numpy_type, shape_of
from ..lowering.lowerer import constant_of
from ..state.nodes import literal, node
from .quantized import Integers, Quantization, byte_of, quantises

_SAME = 1e-6
"""How far the scale of a bias may be from x_scale * w_scale, relative to it."""


@dataclass(frozen=True)
class Weights:
    """Constant integers of 8 bits; scales and zero points are [1], or have one entry per index of an axis."""

    numbers: Array
    byte: IntegerType
    scales: Array
    zeros: Array
    axis: int | None

    def along(self, axis: int) -> bool:
        """Return whether a scale is one number, or has one entry per index of an axis."""
        return self.axis is None or self.axis == axis % self.numbers.ndim

    def transposed(self, order: Sequence[int]) -> Weights:
        """Return the weights with their axes in another order."""
        axis = None if self.axis is None else list(order).index(self.axis)
        return replace(self, numbers=np.transpose(self.numbers, order), axis=axis)

    def zero_points(self) -> Array:
        """Return the zero points in the type of the numbers: one, of no axes, or one for each scale."""
        zeros = np.broadcast_to(self.zeros, self.scales.shape) if self.axis is not None else self.zeros[0]
        return np.array(zeros).astype(numpy_type(self.byte))

    def reach(self, axis: int) -> Array:
        """Return the sum of the largest distances of the numbers from their zero point, per index of an axis."""
        rows = np.moveaxis(self.numbers, axis, 0).reshape(self.numbers.shape[axis], -1).astype(np.int64)
        return np.abs(rows - self.zeros[:, None]).sum(axis=1)


@mentions("DequantizeLinear", "Transpose")
def weights_of(value: SSAValue) -> Weights | None:
    """Return constant weights that are quantised, None for other values."""
    op = value.owner
    if not isinstance(op, OnnxOp) or element_of(value) != f32:
        return None
    if op.name == "onnx.Transpose":
        inner = weights_of(op.operands[0])
        rank = len(shape_of(value))
        return None if inner is None else inner.transposed(op.attribute("perm") or range(rank)[::-1])
    if op.name != "onnx.DequantizeLinear" or element_of(op.operands[1]) != f32 or op.attribute("block_size"):
        return None
    scales, element, shape = constant_of(op.operands[1]), element_of(op.operands[0]), shape_of(value)
    zeros = np.zeros(1, np.int64) if op.node_input(2) is None else constant_of(op.node_input(2))
    if scales is None or zeros is None or integer_width(element) not in (4, 8) or not _is_scale(scales):
        return None
    axis = int(op.attribute("axis")) % len(shape) if shape and scales.size > 1 else None
    if axis is not None and scales.shape != (shape[axis],):
        return None
    numbers = _integers(op, scales.reshape(-1), zeros.reshape(-1).astype(np.int64), axis)
    if numbers is None:
        return None
    return Weights(numbers, byte_of(element), scales.reshape(-1), zeros.reshape(-1).astype(np.int64), axis)


def _is_scale(scales: Array) -> bool:
    return bool(scales.size and np.isfinite(scales).all() and (scales >= np.finfo(np.float32).tiny).all())


@mentions("QuantizeLinear")
def _integers(op: OnnxOp, scales: Array, zeros: Array, axis: int | None) -> Array | None:
    """Return the integer input of a DequantizeLinear: a constant, or the result of QuantizeLinear."""
    source, element = op.operands[0], element_of(op.operands[0])
    numbers = constant_of(source)
    if numbers is not None:
        return numbers
    before = source.owner
    if not isinstance(before, OnnxOp) or before.name != "onnx.QuantizeLinear":
        return None
    floats = constant_of(before.operands[0])
    same = [constant_of(value) for value in before.operands[1:]]
    other = [constant_of(value) for value in op.operands[1:]]
    alike = len(same) == len(other) and all(
        np.array_equal(cast(Any, a), cast(Any, b)) for a, b in zip(same, other, strict=True)
    )
    if floats is None or not alike or floats.dtype != np.float32 or before.attribute("axis") != op.attribute("axis"):
        return None
    shape = [-1 if i == axis else 1 for i in range(floats.ndim)] if axis is not None else ()
    parameters = [
        Quantization(float(scale), int(zero), cast(IntegerType, element)).integers_of(part)
        for scale, zero, part in _parts(floats, scales, zeros, axis)
    ]
    whole = parameters[0] if axis is None else np.stack(parameters, axis)
    assert shape is not None
    return whole.astype(numpy_type(element))


def _parts(floats: Array, scales: Array, zeros: Array, axis: int | None) -> Sequence[tuple[float, int, Array]]:
    if axis is None:
        return [(scales[0], zeros[0], floats)]
    every = np.broadcast_to(zeros, scales.shape)
    return list(zip(scales, every, np.moveaxis(floats, axis, 0), strict=True))


# Biases


@mentions("DequantizeLinear")
def real_constant(value: SSAValue) -> Array | None:
    """Return a constant of floats, dequantised where needed, in f64."""
    constant = constant_of(value)
    if constant is not None:
        return constant.astype(np.float64) if element_of(value) == f32 else None
    op = value.owner
    if not isinstance(op, OnnxOp) or op.name != "onnx.DequantizeLinear" or op.attribute("block_size"):
        return None
    numbers, scales = constant_of(op.operands[0]), constant_of(op.operands[1])
    zeros = np.zeros(1) if op.node_input(2) is None else constant_of(op.node_input(2))
    if numbers is None or scales is None or zeros is None or element_of(value) != f32:
        return None
    if any(
        parameter.size != 1 and (numbers.ndim != 1 or parameter.shape != numbers.shape) for parameter in (scales, zeros)
    ):
        return None
    zero, scale = (
        parameter.reshape(-1 if parameter.size > 1 else ()).astype(np.float64) for parameter in (zeros, scales)
    )
    return (numbers.astype(np.float64) - zero) * scale


def _bias(value: SSAValue | None, scales: Array, result: float, channels: int) -> Array | None:
    """
    Return a bias [channels] as integers of f64 of these scales; None where it has no such integers.

    So where it is computed, and where rounding it could move a result by more than half a step of the scale `result`.
    """
    if value is None:
        return np.zeros(channels)
    exact = _in_steps(value, scales, channels)
    if exact is None:
        return None
    whole = np.rint(exact)
    error = np.where(_is_near(exact, whole), 0.0, np.abs(exact - whole))
    return whole if bool(np.isfinite(whole).all()) and bool((error * scales / result <= 0.5).all()) else None


def _is_near(exact: Array, whole: Array) -> Array:
    """Compare numbers with whole ones; products of scales are rounded, so that a quantised bias is not quite whole."""
    return np.abs(exact - whole) <= _SAME * np.abs(whole)


def _in_steps(value: SSAValue, scales: Array, channels: int) -> Array | None:
    """Return a constant bias [channels] in steps of these scales, None for one that is computed or not per channel."""
    real = real_constant(value)
    if real is None or real.size not in (1, channels) or prod(real.shape[:-1]) != 1:
        return None
    return np.broadcast_to(real.reshape(-1), channels) / scales


def whole_bias(value: SSAValue | None, scales: Array, channels: int) -> Array | None:
    """Return a constant bias [channels] as integers of f64 of these scales, None where it is no such integers."""
    exact = np.zeros(channels) if value is None else _in_steps(value, scales, channels)
    if exact is None or not bool(np.isfinite(exact).all()):
        return None
    whole = np.rint(exact)
    return whole if bool(_is_near(exact, whole).all()) else None


@dataclass(frozen=True)
class _Product:
    """A product with constant weights, one output channel for each part of their axis `axis`."""

    x: Quantization
    weights: Weights
    bias: Array
    y: Quantization


def _product(
    x: Quantization | None, weights: Weights | None, axis: int, bias: SSAValue | None, y: Quantization
) -> _Product | None:
    """Return a product in integers, None where it is none that 32 bits hold."""
    if x is None or weights is None or not weights.numbers.size or not weights.along(axis):
        return None
    scales = (np.float32(x.scale) * weights.scales).astype(np.float64)
    factors = scales / y.scale
    if not bool(
        ((factors >= np.finfo(np.float32).tiny) & (factors < 1e30) & (scales >= np.finfo(np.float32).tiny)).all()
    ):
        return None
    whole = _bias(bias, scales, y.scale, weights.numbers.shape[axis])
    if whole is None or float((weights.reach(axis) * x.widest + np.abs(whole)).max()) >= 1 << 31:
        return None
    return _Product(x, weights, whole, y)


def _parameters(product: _Product, weights: Weights, before: Operation) -> list[SSAValue]:
    """Insert the inputs 1 to 7 of QLinearConv and QLinearMatMul: scales, zero points and the weights."""
    several = weights.axis is not None
    scales = weights.scales if several else weights.scales[0]
    return [
        *scale_and_zero(product.x, before),
        literal(weights.numbers, weights.byte, before),
        literal(np.array(scales), f32, before),
        literal(weights.zero_points(), weights.byte, before),
        *scale_and_zero(product.y, before),
    ]


def scale_and_zero(quantization: Quantization, before: Operation) -> list[SSAValue]:
    """Insert the scale and the zero point of bytes."""
    return [literal(np.float32(quantization.scale), f32, before), zero_point(quantization, before)]


def zero_point(quantization: Quantization, before: Operation) -> SSAValue:
    """Insert the zero point of bytes."""
    return literal(np.array(quantization.zero).astype(numpy_type(quantization.byte)), quantization.byte, before)


# Operators


@quantises("Conv")
def _conv(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    x, w = op.operands[:2]
    product = _product(integers.dequantised(x), weights_of(w), 0, op.node_input(2), y)
    if product is None:
        return None
    windows = {name: op.attribute(name) for name in op.properties if name in WINDOWS}
    return convolution(integers.bytes(x), product, shape_of(op.results[0]), before, **windows)


WINDOWS = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")


def convolution(x: SSAValue, product: _Product, shape: Sequence[int], before: Operation, **windows: Any) -> SSAValue:
    """Insert a QLinearConv of bytes with a result of that shape."""
    kind = TensorType(cast(Any, product.y.byte), shape)
    inputs: list[SSAValue] = [x, *_parameters(product, product.weights, before)]
    if product.bias.any():
        inputs.append(literal(product.bias.astype(np.int32), i32, before))
    return node("QLinearConv", inputs, kind, before, **windows)


@quantises("MatMul")
def _matmul(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    return linear(integers, op, None, y, before)


def linear(
    integers: Integers, op: OnnxOp, bias: SSAValue | None, y: Quantization, before: Operation
) -> SSAValue | None:
    """Insert a MatMul on bytes with a bias per column; None where no integer operator computes it."""
    a, b = op.operands
    weights = weights_of(b)
    if weights is not None and weights.numbers.ndim == 2 and len(shape_of(a)) > 1:
        return _rows(integers, a, weights, bias, y, before)
    return None if bias is not None else _pairs(integers, op, y, before)


@quantises("Gemm")
def _gemm(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    weights = gemm_weights(op)
    return None if weights is None else _rows(integers, op.operands[0], weights, op.node_input(2), y, before)


def gemm_weights(op: OnnxOp) -> Weights | None:
    """Return the quantised weights [K, N] of a Gemm, None where it transposes its first operand or scales anything."""
    weights, bias = weights_of(op.operands[1]), op.node_input(2)
    if weights is None or op.attribute("transA") or op.attribute("alpha") != 1 or (bias and op.attribute("beta") != 1):
        return None
    return weights.transposed((1, 0)) if op.attribute("transB") else weights


def _rows(
    integers: Integers, a: SSAValue, weights: Weights, bias: SSAValue | None, y: Quantization, before: Operation
) -> SSAValue | None:
    """Insert the product of rows a [..., K] and weights [K, N]."""
    product = _product(integers.dequantised(a), weights, 1, bias, y)
    if product is None:
        return None
    shape, columns, byte = shape_of(a), weights.numbers.shape[1], cast(Any, y.byte)
    x, result = integers.bytes(a), (*shape[:-1], columns)
    if not product.bias.any():
        return node("QLinearMatMul", [x, *_parameters(product, weights, before)], TensorType(byte, result), before)
    rows, depth = prod(shape[:-1]), shape[-1]
    kernel = weights.transposed((1, 0))
    kernel = replace(kernel, numbers=kernel.numbers.reshape(columns, depth, 1, 1))
    pixels = _transposed(_reshaped(x, (1, rows, 1, depth), before), (0, 3, 1, 2), before)
    convolved = convolution(pixels, replace(product, weights=kernel), (1, columns, rows, 1), before)
    return _reshaped(_transposed(convolved, (0, 2, 3, 1), before), result, before)


def _pairs(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    """Insert the product of two tensors of bytes of which each has one scale."""
    a, b = (integers.dequantised(value) for value in op.operands)
    if a is None or b is None or shape_of(op.operands[0])[-1] * a.widest * b.widest >= 1 << 31:
        return None
    factor = float(np.float32(a.scale) * np.float32(b.scale)) / y.scale
    if not np.finfo(np.float32).tiny <= factor < 1e30:
        return None
    left, right = (integers.bytes(value) for value in op.operands)
    inputs = [left, *scale_and_zero(a, before), right, *scale_and_zero(b, before), *scale_and_zero(y, before)]
    return node("QLinearMatMul", inputs, TensorType(cast(Any, y.byte), shape_of(op.results[0])), before)


def uniform_average(integers: Integers, op: OnnxOp, y: Quantization, before: Operation) -> SSAValue | None:
    """Insert an average pooling as a convolution with ones; None where windows may differ in their elements."""
    x, pads = op.operands[0], op.attribute("pads") or ()
    whole = not any(pads) or op.attribute("count_include_pad")
    if op.attribute("auto_pad") not in ("NOTSET", "VALID") or op.attribute("ceil_mode") or not whole:
        return None
    kernel, channels = op.attribute("kernel_shape"), shape_of(x)[1]
    ones = np.ones((channels, 1, *kernel), np.int8)
    share = np.full(1, 1 / prod(kernel), np.float32)
    weights = Weights(ones, byte_of(IntegerType(8)), share, np.zeros(1, np.int64), None)
    product = _product(integers.dequantised(x), weights, 0, None, y)
    if product is None:
        return None
    windows = {name: op.attribute(name) for name in op.properties if name in WINDOWS}
    return convolution(integers.bytes(x), product, shape_of(op.results[0]), before, **windows, group=channels)


def _reshaped(value: SSAValue, shape: Sequence[int], before: Operation) -> SSAValue:
    if shape_of(value) == tuple(shape):
        return value
    target = literal(np.array(shape, np.int64), i64, before)
    return node("Reshape", [value, target], TensorType(cast(Any, element_of(value)), shape), before)


def _transposed(value: SSAValue, order: Sequence[int], before: Operation) -> SSAValue:
    shape = [shape_of(value)[axis] for axis in order]
    return node("Transpose", [value], TensorType(cast(Any, element_of(value)), shape), before, perm=order)
