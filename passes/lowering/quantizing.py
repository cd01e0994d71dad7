"""Lowerings of QuantizeLinear and DequantizeLinear: with one scale, one for each part of an axis, or for each block."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp

from xdsl.dialects import math
from xdsl.dialects.builtin import bf16, f16, f32, f64, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.analysis.intervals import range_of_element
from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float
from ...dialects.onnx.schema import OnnxOp
from ...dialects.quant import RescaleOp
from ...ir import Array, element_of, integer_width, shape_of
from .lowerer import Lowerer, constant_of, is_unsigned, lowers, unsupported
from .rules import pointwise, result_element


def saturated(body: Body, real: SSAValue, zero: SSAValue | None, op: OnnxOp) -> SSAValue:
    """Append a float, rounded to nearest even, plus an i32 zero point, as the nearest integer of the op's result."""
    limits = range_of_element(element_of(op.results[0]))
    element = result_element(op)
    whole = body.op(math.RoundEvenOp(real))
    # Wide bounds first, so that the sum with the zero point is exact and in the range of i32.
    span = 2 * (limits.high - limits.low + 1)
    number = body.convert(body.clip(whole, -span, span), i32)
    number = number if zero is None else body.add(number, zero)
    return body.convert(body.clip(number, limits.low, limits.high), element)


def _parameter_map(op: OnnxOp, parameter: Sequence[int]) -> AffineMap:
    """Return the map from an element of x to its scale or zero point."""
    shape = shape_of(op.operands[0])
    rank, count = len(shape), len(parameter)
    dims = AffineMap.identity(rank).results
    if all(extent == 1 for extent in parameter) and not op.attribute("block_size"):
        return AffineMap(rank, 0, (AffineExpr.constant(0),) * count)
    axis = int(op.attribute("axis")) % rank
    if count == 1 and parameter[0] == shape[axis]:
        return AffineMap(rank, 0, (dims[axis],))
    block = int(op.attribute("block_size"))
    blocks = [-(-extent // block) if i == axis else extent for i, extent in enumerate(shape)] if block else []
    if list(parameter) != blocks:
        raise unsupported(op, f"with scales of shape {list(parameter)} for a tensor of shape {list(shape)}")
    return AffineMap(rank, 0, tuple(dim // block if i == axis else dim for i, dim in enumerate(dims)))


def _plain_zero(op: OnnxOp) -> int | None:
    """Return the zero point, 0 where it is left out; None where it is computed or not uniform."""
    if op.node_input(2) is None:
        return 0
    zeros = constant_of(op.node_input(2))
    return int(zeros.flat[0]) if zeros is not None and bool((zeros == zeros.flat[0]).all()) else None


def _plain_scales(op: OnnxOp) -> Array | None:
    """Return constant scales in f32; None for others."""
    scales = constant_of(op.node_input(1))
    return None if scales is None or element_of(op.operands[1]) != f32 else scales


def _parameters(lower: Lowerer, op: OnnxOp) -> tuple[list[SSAValue], list[AffineMap]]:
    """Return scales and zero points as inputs of a kernel, with their maps."""
    parameters = [value for value in op.node_inputs[1:3] if value is not None]
    maps = [_parameter_map(op, shape_of(value)) for value in parameters]
    return [lower[value] for value in parameters], maps


def _computed_in(op: OnnxOp) -> Attribute:
    return f64 if f64 in (element_of(op.operands[0]), element_of(op.operands[1])) else f32


def _over_a_power_of_two(lower: Lowerer, op: OnnxOp, scale: float, zero: int) -> SSAValue:
    """Append integers over a power of two, quantised."""
    shape, element, limits = shape_of(op.operands[0]), result_element(op), range_of_element(element_of(op.results[0]))

    def build(body: Body, value: SSAValue) -> SSAValue:
        factor = body.constant(1 / scale, f32)
        return body.op(RescaleOp(value, factor, zero=zero, low=limits.low, high=limits.high, type=element))

    return pointwise(lower, [lower[op.operands[0]]], shape, element, build)


@lowers("QuantizeLinear")
def _quantize_linear(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    source, element = op.operands[0], result_element(op)
    if integer_width(element) is None:
        raise unsupported(op, f"to {element}")
    x, shape, identity = lower[source], shape_of(source), AffineMap.identity(len(shape_of(source)))
    scales, zero, limits = _plain_scales(op), _plain_zero(op), range_of_element(element_of(op.results[0]))
    unsigned = op.node_input(2) is not None and is_unsigned(op.operands[2])
    compute = _computed_in(op)
    # Numbers of 32 bits are rounded to floats before they are scaled by a power of two, whichever way it is written.
    if scales is not None and scales.size == 1 and zero is not None and (element_of(source), compute) == (i32, f32):
        scale, (mantissa, exponent) = float(scales.flat[0]), frexp(float(scales.flat[0]))
        if mantissa == 0.5 and abs(exponent) < 126:
            return [_over_a_power_of_two(lower, op, scale, zero)]

    def rescaled(body: Body, value: SSAValue, *scale: SSAValue) -> SSAValue:
        real = body.div(body.convert(value, f32, unsigned=is_unsigned(source)), scale[0] if scale else number)
        one = body.constant(1.0, f32)
        return body.op(RescaleOp(real, one, zero=zero or 0, low=limits.low, high=limits.high, type=element))

    def general(body: Body, value: SSAValue, scale: SSAValue, *zero: SSAValue) -> SSAValue:
        wide = body.convert(value, compute, unsigned=is_unsigned(source))
        real = body.div(wide, body.convert(scale, compute))
        return saturated(body, real, body.convert(zero[0], i32, unsigned=unsigned) if zero else None, op)

    if scales is not None and zero is not None and compute == f32:
        number = float(scales.flat[0])
        several = scales.size > 1
        values = [x, lower[op.operands[1]]] if several else [x]
        maps = [identity, _parameter_map(op, shape_of(op.operands[1]))] if several else [identity]
        return [pointwise(lower, values, shape, element, rescaled, maps=maps)]
    values, maps = _parameters(lower, op)
    return [pointwise(lower, [x, *values], shape, element, general, maps=[identity, *maps])]


@lowers("DequantizeLinear")
def _dequantize_linear(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    source, element = op.operands[0], result_element(op)
    if integer_width(element_of(source)) is None or not is_float(element) or element not in (f16, bf16, f32, f64):
        raise unsupported(op, f"from {element_of(source)} to {element}")
    unsigned, compute = is_unsigned(source), _computed_in(op)
    zero, scales = _plain_zero(op), _plain_scales(op)
    plain = zero is not None and scales is not None and scales.size == 1 and compute == f32

    def real(body: Body, value: SSAValue, *parameters: SSAValue) -> SSAValue:
        number = body.convert(value, i32, unsigned=unsigned)
        if plain:
            number = body.sub(number, zero) if zero else number
            product = body.mul(body.convert(number, compute), float(scales.flat[0]) if scales is not None else 1.0)
            return body.convert(product, element)
        for offset in parameters[1:]:
            number = body.sub(number, body.convert(offset, i32, unsigned=unsigned))
        return body.convert(body.mul(body.convert(number, compute), body.convert(parameters[0], compute)), element)

    x, shape = lower[source], shape_of(source)
    values, maps = ([], []) if plain else _parameters(lower, op)
    return [pointwise(lower, [x, *values], shape, element, real, maps=[AffineMap.identity(len(shape)), *maps])]
