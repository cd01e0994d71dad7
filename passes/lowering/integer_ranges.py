"""
Interval analysis of ONNX operators: the value range of a result from those of the operands.

Each operator has one row in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from ...dialects.core.analysis.intervals import Range, levels_range, range_of_element, symmetric
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, element_of, shape_of


@dataclass(frozen=True)
class Operand:
    """Facts about an operand that carries data: its range, its shape, its values where it is constant."""

    range: Range
    shape: tuple[int, ...]
    values: Array | None = None


@dataclass(frozen=True)
class Outcome:
    """The range of an op's results, and of every number on the way to them."""

    result: Range
    partial: Range

    @staticmethod
    def plain(result: Range) -> Outcome:
        """Return the outcome of an op without larger intermediate numbers."""
        return Outcome(result, result)


Transfer = Callable[[OnnxOp, Sequence[Operand]], Outcome]


@dataclass(frozen=True)
class RangeRule:
    """
    Range rule of an operator on integers.

    `data` are the positions of the operands that carry data, None for all. `keeps_type`: the result holds elements of
    operand 0. `joins`: the operands are brought to the result's type first. `integers_only`: the operator has no
    meaning on other numbers. `accumulates`: the result is a sum, of 32 bits at least. `factors`: attributes that
    multiply; the results are integers where these are whole numbers.
    """

    transfer: Transfer
    data: tuple[int, ...] | None = None
    keeps_type: bool = False
    joins: bool = False
    integers_only: bool = False
    accumulates: bool = False
    factors: tuple[str, ...] = ()

    def gives_integers(self, op: OnnxOp) -> bool:
        """Return whether an op makes integers of integers."""
        return all(float(op.attribute(name)).is_integer() for name in self.factors)

    def operands(self, op: OnnxOp) -> list[SSAValue]:
        """Return the operands of `op` that carry data."""
        inputs = op.node_inputs
        taken = inputs if self.data is None else [inputs[i] for i in self.data if i < len(inputs)]
        return [value for value in taken if value is not None]


def _first(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    return Outcome.plain(operands[0].range)


def _union(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    return Outcome.plain(reduce(Range.__or__, (operand.range for operand in operands)))


def _pad(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    return _union(op, operands) if len(operands) > 1 else Outcome.plain(operands[0].range | Range(0, 0))


def _clip(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, *bounds = (operand.range for operand in operands)
    rest = iter(bounds)
    low, high = (next(rest) if op.node_input(i) is not None else None for i in (1, 2))
    result = x
    if low is not None:
        result = Range(max(result.low, low.low), max(result.high, low.high))
    if high is not None:
        result = Range(min(result.low, high.low), min(result.high, high.high))
    return Outcome(result, reduce(Range.__or__, bounds, x))


def _products(x: Operand, w: Operand, terms: int, axis: int | None, *, padded: bool) -> Range:
    """
    Return the range of every partial sum of `terms` products, in any order.

    Constant weights count by value; `axis` is the one of w along which each sum is a different one.
    """
    seen = x.range | Range(0, 0) if padded else x.range
    if w.values is None or axis is None or not w.values.size:
        product = seen * w.range
        return Range(terms * min(product.low, 0), terms * max(product.high, 0))
    rows = np.moveaxis(w.values, axis, 0).reshape(w.values.shape[axis], -1).astype(np.float64)
    positive, negative = np.maximum(rows, 0).sum(1), np.minimum(rows, 0).sum(1)
    highs = [int(p) * max(seen.high, 0) + int(n) * min(seen.low, 0) for p, n in zip(positive, negative, strict=True)]
    lows = [int(p) * min(seen.low, 0) + int(n) * max(seen.high, 0) for p, n in zip(positive, negative, strict=True)]
    return Range(min(lows), max(highs))


def _with_bias(total: Range, bias: Sequence[Operand]) -> Outcome:
    result = total + bias[0].range if bias else total
    return Outcome(result, result | total)


def _conv(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, w, *bias = operands
    return _with_bias(_products(x, w, prod(w.shape[1:]), 0, padded=True), bias)


def _matmul(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    a, b = operands
    columns = len(b.shape) - 1 if len(b.shape) == 2 else None
    return Outcome.plain(_products(a, b, a.shape[-1], columns, padded=False))


def _gemm(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    a, b, *bias = operands
    terms = a.shape[0] if op.attribute("transA") else a.shape[1]
    product = _products(a, b, terms, 0 if op.attribute("transB") else 1, padded=False)
    total = product * int(op.attribute("alpha"))
    added = bias[0].range * int(op.attribute("beta")) if bias else Range(0, 0)
    return Outcome(total + added, product | total | added | (total + added))


def _less(x: Operand, zero: Operand, axis: int) -> Operand:
    """Return weights less their zero points, one for all or one along an axis."""
    if x.values is None or zero.values is None:
        return Operand(x.range - zero.range, x.shape)
    shape = [-1 if i == axis else 1 for i in range(x.values.ndim)]
    values = x.values.astype(np.int64) - zero.values.astype(np.int64).reshape(shape)
    return Operand(Range.of_array(values), x.shape, values)


def _qlinear(op: OnnxOp, x: Operand, zero: Range, w: Operand, axis: int | None, bias: Sequence[Operand]) -> Outcome:
    """Return the outcome of sums of products of `x`, corrected for its zero point, plus a bias."""
    terms = prod(w.shape) // w.shape[axis or 0]
    raw = _products(x, w, terms, axis, padded=False)
    excess = _products(Operand(zero, x.shape), w, terms, axis, padded=False)
    partial = reduce(Range.__or__, [b.range for b in bias], raw | excess)
    whole = raw - excess
    return Outcome(range_of_element(element_of(op.results[0])), partial | _with_bias(whole, bias).partial)


def _qlinear_conv(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, x_zero, w, w_zero, _, *bias = operands
    seen = Operand(x.range | x_zero.range, x.shape)
    return _qlinear(op, seen, x_zero.range, _less(w, w_zero, 0), 0, bias)


def _qlinear_matmul(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    a, a_zero, b, b_zero, _ = operands
    axis = len(b.shape) - 1 if len(b.shape) == 2 else None
    return _qlinear(op, a, a_zero.range, _less(b, b_zero, len(b.shape) - 1), axis, [])


def _count(op: OnnxOp, operands: Sequence[Operand]) -> int:
    return prod(operands[0].shape) // max(1, prod(shape_of(op.results[0])))


def _reduce_sum(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    element, count = operands[0].range, _count(op, operands)
    return Outcome.plain(Range(count * min(element.low, 0), count * max(element.high, 0)))


def _mean(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    return Outcome(operands[0].range, symmetric((_count(op, operands) + 1) * (operands[0].range.magnitude + 1)))


def _requant_shift(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, mul, add = (operand.range for operand in operands)
    div = int(op.attribute("div"))
    total = x * mul + add + div // 2
    clipped = levels_range(int(op.attribute("n_levels")), signed=bool(op.attribute("signed")))
    return Outcome(clipped, total | x * mul | x | mul | add)


def _int_softmax(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    a, b, c, log2, levels = (int(op.attribute(n)) for n in ("coeffA", "coeffB", "coeffC", "log2", "n_levels"))
    span = operands[0].range.high - operands[0].range.low
    lowest = min(-(log2 - 1), -span + 31 * log2) if span >= 31 * log2 else -min(span, log2 - 1)
    power = (Range(lowest, 0) + b).squared() * a + c
    row = operands[0].shape[-1]
    # A power that is not shifted stems from |t| < log2; the others are halved at least once.
    share = Range(0, max(((Range(-(log2 - 1), 0) + b).squared() * a + c).high, power.high >> 1))
    return Outcome(Range(0, levels - 1), power | symmetric(share.high * max(row, levels)) | symmetric(span + 31 * log2))


def _ita_max(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    levels, row = int(op.attribute("n_levels")), operands[0].shape[-1]
    span = operands[0].range.high - operands[0].range.low
    return Outcome(Range(0, levels - 1), symmetric(max(256 * row, 256 * levels, span + 16)))


def _ita_partial_max(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    levels = int(op.attribute("n_levels")) // 2
    whole = _ita_max(op, operands)
    return Outcome(Range(0, levels - 1), whole.partial)


def _rms_norm(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, w = (operand.range for operand in operands)
    return Outcome(Range.of_bits(8, signed=True), x.squared() * (operands[0].shape[-1] + 1) | x * w)


def _layer_norm(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, w, b = (operand.range for operand in operands)
    length = operands[0].shape[-1]
    centred = x - x
    sums = x * length | centred.squared() * (length + 1)
    return Outcome(Range.of_bits(8, signed=True), sums | centred * w + b | centred * w)


def _no_norm(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, w, b = (operand.range for operand in operands)
    scaled = x * w + b
    return Outcome(Range.of_bits(8, signed=True), x * w | scaled | scaled * int(op.attribute("mul")))


def _gelu(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, b, one = operands[0].range, int(op.attribute("b")), int(op.attribute("one"))
    bent = Range(0, x.magnitude).clip(0, -b) if b < 0 else Range(min(0, -b), -b)
    power = -(bent + b).squared() + one
    gate = (symmetric(power.magnitude) + one) >> 1
    return _in_32_bits(x * gate, x * gate | symmetric(power.magnitude + abs(one)) | (bent + b).squared())


def _hardswish(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    x, three, six, sixth = operands[0].range, *(int(op.attribute(n)) for n in ("three", "six", "one_over_six"))
    gate = (x + three).clip(0, six) * sixth
    return _in_32_bits(x * gate, x * gate | gate | x + three)


def _in_32_bits(result: Range, partial: Range) -> Outcome:
    """Return the outcome of an op whose result wraps around in 32 bits."""
    whole = Range.of_bits(32, signed=True)
    return Outcome(result if result in whole else whole, partial)


def _true_integer_div(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    delta, eps, eta, y = (int(op.attribute(n)) for n in ("Delta", "eps", "eta", "y"))
    scaled = operands[0].range * (delta * eta)
    divisor = y * eta + eps
    ends = scaled.low // divisor, scaled.high // divisor
    return Outcome(Range(min(ends), max(ends)), scaled | Range(divisor, divisor))


def _integer_div(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    delta, eps, eta = (int(op.attribute(n)) for n in ("Delta", "eps", "eta"))
    divisor = operands[1].range * eta + eps
    scaled = operands[0].range * (delta * eta)
    smallest = (
        1
        if divisor.low <= 1 <= divisor.high or divisor.low <= 0 <= divisor.high
        else min(abs(divisor.low), abs(divisor.high))
    )
    bound = scaled.magnitude + divisor.magnitude // 2
    return Outcome(symmetric(scaled.magnitude // smallest + 1), symmetric(bound) | divisor)


def _binary(function: Callable[[Range, Range], Range]) -> Transfer:
    return lambda op, operands: Outcome.plain(function(operands[0].range, operands[1].range))


def _unary(function: Callable[[Range], Range]) -> Transfer:
    return lambda op, operands: Outcome.plain(function(operands[0].range))


def _quant(op: OnnxOp, operands: Sequence[Operand]) -> Outcome:
    return Outcome.plain(Range(int(op.attribute("min")), int(op.attribute("max"))))


_selects = RangeRule(_first, data=(0,), keeps_type=True)
_SELECTING = (
    "Reshape Transpose Flatten Squeeze Unsqueeze Identity Slice Gather GatherElements GatherND Expand Tile "
    "Split MaxPool GlobalMaxPool ReduceMax ReduceMin DepthToSpace SpaceToDepth Compress ReverseSequence"
).split()
"""Operators whose elements are elements of operand 0."""
_joins = RangeRule(_union, joins=True)
_custom: dict[str, Any] = {"integers_only": True}

RULES: Registry[str, RangeRule] = Registry(
    "range of integers",
    {
        **{f"onnx.{name}": _selects for name in _SELECTING},
        "onnx.Concat": _joins,
        "onnx.Max": _joins,
        "onnx.Min": _joins,
        "onnx.Where": RangeRule(_union, data=(1, 2), joins=True),
        "onnx.TensorScatter": RangeRule(_union, data=(0, 1), joins=True),
        "onnx.Pad": RangeRule(_pad, data=(0, 2), joins=True),
        "onnx.Clip": RangeRule(_clip, data=(0, 1, 2)),
        "onnx.Add": RangeRule(_binary(Range.__add__)),
        "onnx.Sub": RangeRule(_binary(Range.__sub__)),
        "onnx.Mul": RangeRule(_binary(Range.__mul__)),
        "onnx.Neg": RangeRule(_unary(Range.__neg__)),
        "onnx.Abs": RangeRule(_unary(lambda x: x if x.low >= 0 else Range(0, x.magnitude))),
        "onnx.Relu": RangeRule(_unary(lambda x: x.clip(0, max(x.high, 0)))),
        "onnx.Conv": RangeRule(_conv, accumulates=True),
        "onnx.MatMul": RangeRule(_matmul, accumulates=True),
        "onnx.Gemm": RangeRule(_gemm, accumulates=True, factors=("alpha", "beta")),
        "onnx.QLinearConv": RangeRule(_qlinear_conv, data=(0, 2, 3, 5, 7, 8), **_custom),
        "onnx.QLinearMatMul": RangeRule(_qlinear_matmul, data=(0, 2, 3, 5, 7), **_custom),
        "onnx.ReduceSum": RangeRule(_reduce_sum, data=(0,), accumulates=True),
        "onnx.ReduceMean": RangeRule(_mean, data=(0,)),
        "onnx.IntegerMean": RangeRule(_mean, data=(0,), **_custom),
        "onnx.RequantShift": RangeRule(_requant_shift, **_custom),
        "onnx.iSoftmax": RangeRule(_int_softmax, data=(0,), **_custom),
        "onnx.ITAMax": RangeRule(_ita_max, data=(0,), **_custom),
        "onnx.ITAPartialMax": RangeRule(_ita_partial_max, **_custom),
        "onnx.iRMSNorm": RangeRule(_rms_norm, **_custom),
        "onnx.iLayerNorm": RangeRule(_layer_norm, **_custom),
        "onnx.iNoNorm": RangeRule(_no_norm, **_custom),
        "onnx.iGELU": RangeRule(_gelu, **_custom),
        "onnx.iHardswish": RangeRule(_hardswish, **_custom),
        "onnx.TrueIntegerDiv": RangeRule(_true_integer_div, **_custom),
        "onnx.IntegerDiv": RangeRule(_integer_div, **_custom),
    },
)
QUANTIZERS: Registry[str, Transfer] = Registry("range of integers", {"onnx.Quant": _quant})
"""Operators that make integers from floats."""
