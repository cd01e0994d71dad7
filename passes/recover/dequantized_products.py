"""
Products of quantised tensors whose results stay in floats: integer sums of 32 bits, dequantised.

So where a product is followed by what has no integer form of its own: a sum with a residual that is quantised only
after it, a norm, a function of several tensors, an output of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.dialects.builtin import TensorType, f32, i32, i64
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, shape_of
from ..state.nodes import literal, node
from .quantized import Integers, Quantization
from .quantized_products import WINDOWS, Weights, gemm_weights, weights_of, whole_bias, zero_point

FloatRule = Callable[[Integers, OnnxOp, Operation], SSAValue | None]
"""`(integers, op, before) -> value`: inserts the same floats, dequantised sums; None, and nothing inserted, without."""

DEQUANTISED: Registry[str, FloatRule] = Registry("recovery of integers")
"""Name of an op of floats -> what computes its sums in integers."""


def dequantises(*names: str) -> Callable[[FloatRule], FloatRule]:
    """Register a function as the integer sums of the operators of these names."""
    return DEQUANTISED.rule(*(f"onnx.{name}" for name in names))


@dataclass(frozen=True)
class _IntegerProduct:
    """A product with constant weights that has 32-bit sums; `scales` are those of sums, [1] or one per channel."""

    x: Quantization
    weights: Weights
    bias: Array
    """Integers of f64, one per channel."""
    real_bias: SSAValue | None
    """Bias of floats, added after the sums are dequantised, in place of one of integers."""
    scales: Array

    def zeros(self, before: Operation) -> list[SSAValue]:
        """Insert the zero points of the input and of the weights."""
        return [zero_point(self.x, before), literal(self.weights.zero_points(), self.weights.byte, before)]


def _sums(x: Quantization | None, weights: Weights | None, axis: int, bias: SSAValue | None) -> _IntegerProduct | None:
    """Return a product whose sums 32 bits hold, None for others."""
    if x is None or weights is None or not weights.numbers.size or not weights.along(axis):
        return None
    scales = (np.float32(x.scale) * weights.scales).astype(np.float64)
    if not bool((np.isfinite(scales) & (scales >= np.finfo(np.float32).tiny)).all()):
        return None
    channels, reach = int(weights.numbers.shape[axis]), weights.reach(axis) * x.widest
    if float(reach.max()) >= 1 << 31:
        return None
    whole = whole_bias(bias, scales, channels)
    if whole is None or float((reach + np.abs(whole)).max()) >= 1 << 31:
        return _IntegerProduct(x, weights, np.zeros(channels, np.float64), bias, scales)
    return _IntegerProduct(x, weights, whole, None, scales)


def _dequantised(total: SSAValue, sums: _IntegerProduct, axis: int, before: Operation) -> SSAValue:
    """Insert sums plus the bias along an axis, as floats."""
    shape = shape_of(total)
    if sums.bias.any():
        bias = sums.bias.astype(np.int32).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        total = node("Add", [total, literal(bias, i32, before)], total.type, before)
    floats = _as_floats(total, sums.scales, axis, before)
    if sums.real_bias is None:
        return floats
    return node("Add", [floats, _along(sums.real_bias, axis, len(shape), before)], floats.type, before)


def _along(bias: SSAValue, axis: int, rank: int, before: Operation) -> SSAValue:
    """Insert a bias [M] reshaped to go along an axis of a tensor of that rank."""
    count = rank - 1 - axis
    if not count or len(shape_of(bias)) != 1:
        return bias
    shape = [*shape_of(bias), *(1,) * count]
    target = literal(np.array(shape, np.int64), i64, before)
    return node("Reshape", [bias, target], TensorType(f32, shape), before)


def _as_floats(total: SSAValue, scales: Array, axis: int, before: Operation) -> SSAValue:
    kind, several = TensorType(f32, shape_of(total)), scales.size > 1
    scale = literal((scales if several else scales.reshape(())).astype(np.float32), f32, before)
    return node("DequantizeLinear", [total, scale], kind, before, **({"axis": axis} if several else {}))


@dequantises("Conv")
def _conv(integers: Integers, op: OnnxOp, before: Operation) -> SSAValue | None:
    x, w = op.operands[:2]
    sums = _sums(integers.dequantised(x), weights_of(w), 0, op.node_input(2))
    if sums is None:
        return None
    windows = {name: op.attribute(name) for name in op.properties if name in WINDOWS}
    inputs = [integers.bytes(x), literal(sums.weights.numbers, sums.weights.byte, before), *sums.zeros(before)]
    total = node("ConvInteger", inputs, TensorType(i32, shape_of(op.results[0])), before, **windows)
    return _dequantised(total, sums, 1, before)


@dequantises("MatMul")
def _matmul(integers: Integers, op: OnnxOp, before: Operation) -> SSAValue | None:
    a, b = op.operands
    weights = weights_of(b)
    if weights is not None and weights.numbers.ndim == 2:
        return _rows(integers, a, weights, None, shape_of(op.results[0]), before)
    return _pairs(integers, op, before)


@dequantises("Gemm")
def _gemm(integers: Integers, op: OnnxOp, before: Operation) -> SSAValue | None:
    weights = gemm_weights(op)
    if weights is None:
        return None
    return _rows(integers, op.operands[0], weights, op.node_input(2), shape_of(op.results[0]), before)


def _rows(
    integers: Integers, a: SSAValue, weights: Weights, bias: SSAValue | None, shape: Sequence[int], before: Operation
) -> SSAValue | None:
    """Insert the product of rows a [..., K] and weights [K, N]."""
    sums = _sums(integers.dequantised(a), weights, 1, bias)
    if sums is None:
        return None
    inputs = [integers.bytes(a), literal(weights.numbers, weights.byte, before), *sums.zeros(before)]
    total = node("MatMulInteger", inputs, TensorType(i32, shape), before)
    return _dequantised(total, sums, len(shape) - 1, before)


def _pairs(integers: Integers, op: OnnxOp, before: Operation) -> SSAValue | None:
    """Insert the product of two tensors of bytes of which each has one scale."""
    forms = [integers.dequantised(value) for value in op.operands]
    if any(form is None for form in forms):
        return None
    a, b = (cast(Quantization, form) for form in forms)
    scale = np.array(np.float32(a.scale) * np.float32(b.scale))
    if shape_of(op.operands[0])[-1] * a.widest * b.widest >= 1 << 31 or not np.finfo(np.float32).tiny <= scale < np.inf:
        return None
    factors = map(integers.bytes, op.operands)
    inputs = [*factors, zero_point(a, before), zero_point(b, before)]
    return _as_floats(node("MatMulInteger", inputs, TensorType(i32, shape_of(op.results[0])), before), scale, 0, before)
