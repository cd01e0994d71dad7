"""Lowerings of QLinearAdd and QLinearMul, whose arithmetic `dialects/onnx/custom.py` states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from ...dialects.core.analysis.intervals import range_of_element
from ...dialects.core.body import Body
from ...dialects.onnx.schema import OnnxOp
from ...dialects.quant import RescaleOp
from ...ir import Array, element_of, shape_of
from ...runtime.interpreter.onnx_qlinear import product_factor, sum_terms
from .integer_products import check_parameters, zero_map
from .lowerer import Build, Lowerer, broadcast_map, constant_of, is_unsigned, lowers
from .rules import pointwise, result_element

_SCALES, _ZEROS = (1, 4, 6), (2, 5, 7)


def _fused(body: Body, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    return body.op(math.FmaOp(a, b, c))


def _has_exact_products(factor: float) -> bool:
    """Return whether a number of f32 has at most 16 significant bits: products with 8 bits are then exact."""
    return not int(np.float32(factor).view(np.uint32)) & 0xFF


def _constants(op: OnnxOp, indices: Sequence[int]) -> list[Array] | None:
    """Return constant inputs; None where one of them is computed."""
    values = [constant_of(op.operands[index]) for index in indices]
    present = [value for value in values if value is not None]
    return present if len(present) == len(values) else None


def _combined(lower: Lowerer, op: OnnxOp, build: Build, computed: Sequence[int]) -> Sequence[SSAValue]:
    """
    Append the kernel that rounds what `build` makes of an element of a, one of b, and the computed inputs.

    The elements are widened to i32, zero points to i32.
    """
    check_parameters(op)
    indices, shape = [0, 3, *computed], shape_of(op.results[0])
    element, limits = result_element(op), range_of_element(element_of(op.results[0]))

    def rounded(body: Body, *values: SSAValue) -> SSAValue:
        wide = [
            value if index in _SCALES else body.convert(value, i32, unsigned=is_unsigned(op.operands[index]))
            for index, value in zip(indices, values, strict=True)
        ]
        real, one = build(body, *wide), body.constant(1.0, f32)
        return body.op(RescaleOp(real, one, zero=0, low=limits.low, high=limits.high, type=element))

    shapes = {index: shape_of(op.operands[index]) for index in indices}
    maps = [
        broadcast_map(shapes[index], shape) if index in (0, 3) else zero_map(shapes[index], shape, -1)
        for index in indices
    ]
    values = [lower[op.operands[index]] for index in indices]
    return [pointwise(lower, values, shape, element, rounded, maps=maps)]


@lowers("QLinearAdd")
def _qlinear_add(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    constants = _constants(op, (1, 2, 4, 5, 6, 7))

    def by_constants(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
        assert constants is not None
        left, right, fixed = map(float, sum_terms(*constants))
        value = body.constant(fixed, f32)
        for term, factor in ((b, right), (a, left)):
            real, number = body.convert(term, f32), body.constant(factor, f32)
            exact = _has_exact_products(factor)
            value = body.add(body.mul(real, number), value) if exact else _fused(body, real, number, value)
        return value

    def by_values(body: Body, a: SSAValue, b: SSAValue, *parameters: SSAValue) -> SSAValue:
        a_scale, a_zero, b_scale, b_zero, y_scale, y_zero = parameters
        left, right = (body.div(scale, y_scale) for scale in (a_scale, b_scale))
        zeros = [body.convert(zero, f32) for zero in (a_zero, b_zero, y_zero)]
        fixed = body.sub(zeros[2], _fused(body, left, zeros[0], body.mul(right, zeros[1])))
        inner = _fused(body, body.convert(b, f32), right, fixed)
        return _fused(body, body.convert(a, f32), left, inner)

    if constants is None:
        return _combined(lower, op, by_values, (1, 2, 4, 5, 6, 7))
    return _combined(lower, op, by_constants, ())


@lowers("QLinearMul")
def _qlinear_mul(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    scales, zeros = _constants(op, _SCALES), _constants(op, _ZEROS)

    def scaled(body: Body, product: SSAValue, factor: SSAValue, zero: SSAValue) -> SSAValue:
        return body.add(body.mul(body.convert(product, f32), factor), zero)

    def by_constants(body: Body, a: SSAValue, b: SSAValue) -> SSAValue:
        assert scales is not None
        assert zeros is not None
        centred = [body.sub(value, int(zero.flat[0])) for value, zero in zip((a, b), zeros, strict=False)]
        factor = body.constant(float(product_factor(*scales)), f32)
        return scaled(body, body.mul(*centred), factor, body.constant(float(zeros[2].flat[0]), f32))

    def by_values(body: Body, a: SSAValue, b: SSAValue, *parameters: SSAValue) -> SSAValue:
        a_scale, a_zero, b_scale, b_zero, y_scale, y_zero = parameters
        product = body.mul(body.sub(a, a_zero), body.sub(b, b_zero))
        factor = body.div(body.mul(a_scale, b_scale), y_scale)
        return scaled(body, product, factor, body.convert(y_zero, f32))

    if scales is None or zeros is None:
        return _combined(lower, op, by_values, (1, 2, 4, 5, 6, 7))
    return _combined(lower, op, by_constants, ())
