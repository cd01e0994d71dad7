"""
Lowerings of ONNX's own quantised products: QLinearConv, QLinearMatMul.

What the input's zero point adds to each sum with constant weights becomes part of the bias. Where weights,
scales or zero points are computed, both operands are centred first, and each sum is scaled by what is computed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.analysis.intervals import range_of_element
from ...dialects.core.body import Body
from ...dialects.onnx.schema import OnnxOp
from ...dialects.quant import RescaleOp
from ...ir import Array, element_of, shape_of
from .integer_products import (
    centred,
    check_parameters,
    constant_convolution,
    constant_product,
    product_of_two,
    zero_map,
)
from .lowerer import Lowerer, constant_of, is_unsigned, lowers, unsupported
from .products import channel_map, convolved
from .quantizing import saturated
from .rules import compute_type, pointwise, result_element


def _constant(op: OnnxOp, index: int, what: str) -> Array:
    """Return a constant input. Raises Diagnostic where it is computed."""
    values = constant_of(op.node_input(index))
    if values is None:
        raise unsupported(op, f"with {what} that is not constant")
    return values


def _zero(op: OnnxOp, index: int, what: str) -> int:
    """Return the zero point of a whole tensor. Raises Diagnostic where it is computed."""
    return int(_constant(op, index, f"a zero point of {what}").flat[0])


def _factors(op: OnnxOp, positions: tuple[int, int, int]) -> Array:
    """Return x_scale * w_scale / y_scale, of shape [1] or [channels], each step rounded to f32."""
    x, w, y = (_constant(op, i, "a scale").astype(np.float32) for i in positions)
    return (np.float32(x.flat[0]) * w.reshape(-1) / np.float32(y.flat[0])).astype(np.float32)


def _requantised(
    lower: Lowerer, op: OnnxOp, total: SSAValue, bias: Array, factors: Array, zero: int, axis: int
) -> SSAValue:
    """Append the kernel that adds a bias to sums, both one per element of an axis, and brings them to the result."""
    shape, element, compute = shape_of(total), result_element(op), element_of(total)
    channels = shape[axis]
    along = AffineMap(len(shape), 0, (AffineMap.identity(len(shape)).results[axis],))
    limits = range_of_element(element_of(op.results[0]))
    values, maps, types = [total], [AffineMap.identity(len(shape))], [compute]
    for numbers, type in ((bias, compute), (factors, f32)):
        if not bool(np.all(numbers == numbers.flat[0])):
            values.append(lower.array(np.broadcast_to(numbers, channels), type))
            maps.append(along)
            types.append(type)
    body = Body([*types, element])
    arguments = iter(body.args[1:])
    terms = [
        next(arguments) if not bool(np.all(numbers == numbers.flat[0])) else body.constant(numbers.flat[0].item(), type)
        for numbers, type in ((bias, compute), (factors, f32))
    ]
    value = body.add(body.args[0], terms[0]) if bias.any() else body.args[0]
    rescaled = RescaleOp(value, terms[1], zero=zero, low=limits.low, high=limits.high, type=element)
    return lower.generic(values, maps, shape, element, body.finish(body.op(rescaled)))


def _is_constant(op: OnnxOp, positions: Sequence[int]) -> bool:
    values = [op.node_input(i) for i in positions]
    return all(value is None or constant_of(value) is not None for value in values)


def _rescaled(
    lower: Lowerer, op: OnnxOp, total: SSAValue, axes: tuple[int, int, int], bias: SSAValue | None = None
) -> SSAValue:
    """
    Append sums brought to the result: times x_scale * w_scale / y_scale, plus the zero point.

    `axes` are those, counted from the end, along which vectors of scales of x, w and y go.
    """
    shape, rank = shape_of(total), len(shape_of(total))
    scales = [op.operands[i] for i in (1, 4, 6)]
    maps = [zero_map(shape_of(scale), shape, axis) for scale, axis in zip(scales, axes, strict=True)]
    zero, unsigned = op.operands[7], is_unsigned(op.operands[7])
    extra = [] if bias is None else [lower[bias]]

    def build(body: Body, value: SSAValue, x: SSAValue, w: SSAValue, y: SSAValue, *rest: SSAValue) -> SSAValue:
        value = body.add(value, rest[1]) if extra else value
        a, b, c = (body.convert(scale, f32) for scale in (x, w, y))
        real = body.mul(body.convert(value, f32), body.div(body.mul(a, b), c))
        return saturated(body, real, body.convert(rest[0], i32, unsigned=unsigned), op)

    values = [total, *(lower[scale] for scale in scales), lower[zero], *extra]
    along = [AffineMap.identity(rank), *maps, zero_map(shape_of(zero), shape, axes[2])]
    along += [channel_map(rank)] if extra else []
    return pointwise(lower, values, shape, result_element(op), build, maps=along)


@lowers("QLinearConv")
def _qlinear_conv(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    x, w = op.operands[0], op.operands[3]
    if not _is_constant(op, range(1, 9)):
        rank = len(shape_of(x))
        left = centred(lower, x, op.operands[2])
        right = centred(lower, w, op.operands[5], -rank)
        total = convolved(lower, op, left, right, i32)
        return [_rescaled(lower, op, total, (1 - rank, 1 - rank, 1 - rank), op.node_input(8))]
    weight = _constant(op, 3, "a weight")
    zeros = _constant(op, 5, "a zero point of the weight").astype(np.int64).reshape(-1, *(1,) * (weight.ndim - 1))
    x_zero = _zero(op, 2, "the input")
    total, sums = constant_convolution(lower, op, weight, zeros, x_zero, compute_type(op))
    bias = _constant(op, 8, "a bias").astype(np.int64) if op.node_input(8) is not None else np.zeros(1, np.int64)
    bias = bias - x_zero * sums
    factors = _factors(op, (1, 4, 6))
    return [_requantised(lower, op, total, bias, factors, _zero(op, 7, "the result"), 1)]


@lowers("QLinearMatMul")
def _qlinear_matmul(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    a, b = op.operands[0], op.operands[3]
    values = constant_of(b)
    uniform = all(len(shape_of(op.operands[i])) <= 1 and prod(shape_of(op.operands[i])) == 1 for i in (1, 2, 6, 7))
    if values is None or values.ndim != 2 or len(shape_of(a)) < 2 or not uniform or not _is_constant(op, range(1, 8)):
        total = product_of_two(lower, op, (0, 3, 2, 5))
        if _is_constant(op, (1, 4, 6, 7)) and all(prod(shape_of(op.operands[i])) == 1 for i in (1, 4, 6, 7)):
            zero = _zero(op, 7, "the result")
            return [_requantised(lower, op, total, np.zeros(1, np.int64), _factors(op, (1, 4, 6)), zero, -1)]
        return [_rescaled(lower, op, total, (-2, -1, -2))]
    zeros = _constant(op, 5, "a zero point of the second operand").astype(np.int64)
    total, sums = constant_product(lower, a, values, zeros.reshape(-1), compute_type(op))
    bias = -_zero(op, 2, "the first operand") * sums
    factors = _factors(op, (1, 4, 6))
    result = _requantised(lower, op, total, bias, factors, _zero(op, 7, "the result"), 1)
    return [lower.reshape(result, shape_of(op.results[0]))]
