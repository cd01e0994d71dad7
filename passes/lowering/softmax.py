"""Lowerings of the softmax family: along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr, bf16, f16, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.body import Body
from ...dialects.core.scalars import highest, lowest, scalar_attr
from ...dialects.nn import SoftmaxOp
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .lowerer import Lowerer, lowers
from .rules import compute_type, fold_axes, passed_on, pointwise, result_element


def _axis(op: OnnxOp) -> int:
    return int(op.attribute("axis")) % len(shape_of(op.operands[0]))


def softmax(
    lower: Lowerer, x: SSAValue, axis: int, compute: Attribute, element: Attribute, *, log: bool = False
) -> SSAValue:
    """Append the softmax of a tensor-level value along an axis, or its logarithm; computed in the type `compute`."""
    shape = shape_of(x)
    properties: dict[str, Attribute | None] = {
        "axis": None if axis == len(shape) - 1 else scalar_attr(axis, i64),
        "log": UnitAttr() if log else None,
        "accumulator": compute,
        "element": element,
    }
    return lower.op(SoftmaxOp([x], lower.empty(shape, element), properties))


@lowers("Softmax", "LogSoftmax")
def _softmax(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, log = lower[op.operands[0]], op.name == "onnx.LogSoftmax"
    compute = compute_type(op)
    element = compute if _is_only_multiplied(op.results[0]) else result_element(op)
    return [softmax(lower, x, _axis(op), compute, element, log=log)]


@mentions("MatMul")
def _is_only_multiplied(value: SSAValue) -> bool:
    """
    Return whether floats of 16 bits go to matrix products only, which compute in f32.

    They need not be rounded for those: products of rounded probabilities are off by as much as one in a thousand.
    """
    users = [use.operation for use in value.uses]
    if element_of(value) not in (f16, bf16) or not users:
        return False
    return all(user.name == "onnx.MatMul" or _passes_to_products(user, value) for user in users)


@mentions("CastLike")
def _passes_to_products(user: Operation, value: SSAValue) -> bool:
    """Return whether an op passes a value on to products, or reads only its type."""
    if not isinstance(user, OnnxOp):
        return False
    if user.name == "onnx.CastLike" and user.operands[0] is not value:
        return True
    return passed_on(user) is value and _is_only_multiplied(user.results[0])


@lowers("Hardmax")
def _hardmax(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower the choice of the first largest element of each row, which becomes 1, and all others 0."""
    x, axis, element = lower[op.operands[0]], _axis(op), result_element(op)

    def larger(body: Body, value: SSAValue, largest: SSAValue) -> SSAValue:
        return body.max(largest, value)

    def first(body: Body, value: SSAValue, largest: SSAValue, place: SSAValue) -> SSAValue:
        here = body.index_of(axis, i64)
        candidate = body.select(body.compare(value, "eq", largest), here, body.constant(highest(i64).value.data, i64))
        return body.min(place, candidate)

    def choose(body: Body, place: SSAValue) -> SSAValue:
        chosen = body.compare(body.index_of(axis, i64), "eq", place)
        return body.select(chosen, body.constant(1, element), body.constant(0, element))

    largest = fold_axes(lower, [x], [axis], lowest(element), larger)
    place = fold_axes(lower, [x, largest], [axis], highest(i64), first)
    return [pointwise(lower, [place], shape_of(x), element, choose)]
