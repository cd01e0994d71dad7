"""Lowerings of MatMulInteger and ConvInteger: sums of products of integers less their zero points."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i16, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body
from ...dialects.onnx.parameters import goes_with, misfit
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import shape_of, where
from .lowerer import Lowerer, broadcast_map, constant_of, is_unsigned, lowers
from .products import convolved, multiplied
from .rules import pointwise


def centred(lower: Lowerer, value: SSAValue, zero: SSAValue | None, axis: int = -1) -> SSAValue:
    """
    Append a tensor of 8-bit integers less its zero points, signed.

    `value` and `zero` are of the graph level; a vector of zero points goes along `axis`, from the end.
    """
    known = constant_of(zero)
    none = zero is None or (known is not None and not known.any())
    if none and not is_unsigned(value):
        return lower[value]
    signs = [is_unsigned(value), zero is not None and is_unsigned(zero)]

    def build(body: Body, element: SSAValue, *zeros: SSAValue) -> SSAValue:
        wide = body.convert(element, i16, unsigned=signs[0])
        return body.sub(wide, body.convert(zeros[0], i16, unsigned=signs[1])) if zeros else wide

    shape = shape_of(value)
    if none or zero is None:
        return pointwise(lower, [lower[value]], shape, i16, build)
    maps = [AffineMap.identity(len(shape)), zero_map(shape_of(zero), shape, axis)]
    return pointwise(lower, [lower[value], lower[zero]], shape, i16, build, maps=maps)


def check_parameters(op: OnnxOp) -> None:
    """Raise Diagnostic where a scale or zero point does not go with its tensor."""

    def shape(index: int) -> tuple[int, ...] | None:
        value = op.node_input(index)
        return None if value is None else shape_of(value)

    if found := misfit(op.SCHEMA.name, shape):
        raise _misfit(found.expected, found.found, where(op))


def _misfit(expected: str, found: str, place: str = "") -> Diagnostic:
    return Diagnostic("a scale or zero point does not go with its tensor", place, expected, found)


def zero_map(parameter: Sequence[int], shape: Sequence[int], axis: int) -> AffineMap:
    """
    Return the map from an element to its scale or zero point: a vector goes along `axis`, others broadcast.

    Raises Diagnostic where the sizes do not go together.
    """
    if not goes_with(parameter, shape, axis, is_matrix=True):
        raise _misfit(f"sizes that broadcast to {list(shape)}", str(list(parameter)))
    if tuple(parameter) == (1,):
        return AffineMap(len(shape), 0, (AffineExpr.constant(0),))
    if len(parameter) == 1:
        return AffineMap(len(shape), 0, (AffineMap.identity(len(shape)).results[axis],))
    return broadcast_map(parameter, shape)


@lowers("MatMulInteger")
def _matmul_integer(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    a, b = op.operands[:2]
    # The zero points of a vector of rows go along the last but one axis, if there is one.
    left = centred(lower, a, op.node_input(2), max(-2, -len(shape_of(a))))
    return [multiplied(lower, left, centred(lower, b, op.node_input(3)), i32, wraps=True)]


@lowers("ConvInteger")
def _conv_integer(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    x, w = op.operands[:2]
    left = centred(lower, x, op.node_input(2))
    right = centred(lower, w, op.node_input(3), -len(shape_of(w)))
    return [convolved(lower, op, left, right, i32)]
