"""Lowerings of reductions over whole axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import math
from xdsl.dialects.builtin import StringAttr, UnitAttr, f64, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float, lowest, scalar_attr
from ...dialects.nn import ReduceOp, ints
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .code import converted
from .elementwise import unary
from .lowerer import Build, Lowerer, constant_of, is_unsigned, lowers, unsupported
from .rules import (
    add_bias,
    compute_type,
    filled,
    fold_axes,
    pointwise,
    result_element,
    unsigned_positions,
    wraps,
)


def reduction_axes(op: OnnxOp) -> list[int]:
    """Return the axes that a reduction reduces: given as an attribute, as a constant input, or all."""
    rank = len(shape_of(op.operands[0]))
    axes = op.attribute("axes") if "axes" in op.SCHEMA.attributes else constant_of(op.node_input(1))
    if axes is None and op.node_input(1) is not None:
        raise unsupported(op, "over axes that are not constant")
    if axes is None or len(axes) == 0:
        noop = "noop_with_empty_axes" in op.SCHEMA.attributes and op.attribute("noop_with_empty_axes")
        return [] if noop else list(range(rank))
    return sorted(int(axis) % rank for axis in axes)


def reduced(lower: Lowerer, op: OnnxOp, kind: str, accumulator: Attribute) -> SSAValue:
    """Append the fold of operand 0 over the op's axes, in the type `accumulator`; of single elements, these."""
    x = op.operands[0]
    if all(shape_of(x)[axis] == 1 for axis in reduction_axes(op)):
        return lower.reshape(converted(lower, lower[x], accumulator, unsigned=is_unsigned(x)), shape_of(op.results[0]))
    properties: dict[str, Attribute | None] = {
        "kind": StringAttr(kind),
        "axes": ints(reduction_axes(op)),
        "keep_dims": UnitAttr() if op.attribute("keepdims") else None,
        "accumulator": accumulator,
    }
    shape = shape_of(op.results[0])
    # Truth values are numbers without a sign.
    unsigned = [0] if element_of(x) == i1 else unsigned_positions([x])
    kernel = ReduceOp([lower[x]], lower.empty(shape, accumulator), properties, unsigned=unsigned, wraps=wraps(op))
    if 0 in shape_of(x):
        return filled(lower, shape, kernel.fold().initial[0])
    return lower.op(kernel)


@lowers("ReduceSum")
def _reduce_sum(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [add_bias(lower, op, reduced(lower, op, "sum", compute_type(op)), None, None)]


@lowers("ReduceProd")
def _reduce_product(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [add_bias(lower, op, reduced(lower, op, "product", compute_type(op)), None, None)]


@lowers("ReduceMax", "ReduceMin")
def _reduce_extreme(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [reduced(lower, op, op.name.removeprefix("onnx.Reduce").lower(), result_element(op))]


def _itself(body: Body, x: SSAValue) -> SSAValue:
    return x


def _square(body: Body, x: SSAValue) -> SSAValue:
    return body.mul(x, x)


_log, _sqrt = unary(math.LogOp), unary(math.SqrtOp)

_SUMS: Registry[str, tuple[Build, Build]] = Registry(
    "scalar code",
    {
        "ReduceL1": (Body.magnitude, _itself),
        "ReduceL2": (_square, _sqrt),
        "ReduceSumSquare": (_square, _itself),
        "ReduceLogSum": (_itself, _log),
    },
)
"""Operator -> what it makes of the elements that it sums, and of the sum."""


def _sum_rule(term: Build, result: Build) -> Callable[[Lowerer, OnnxOp], Sequence[SSAValue]]:
    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        compute, x = compute_type(op), op.operands[0]
        # Roots and logarithms of integers are those of floats.
        compute = f64 if result is not _itself and not is_float(compute) else compute

        def add(body: Body, element: SSAValue, total: SSAValue) -> SSAValue:
            wide = body.convert(element, compute, unsigned=is_unsigned(x))
            return body.add(total, term(body, wide))

        def finish(body: Body, total: SSAValue) -> SSAValue:
            return body.convert(result(body, total), result_element(op))

        start, keep = scalar_attr(0, compute), bool(op.attribute("keepdims"))
        total = fold_axes(lower, [lower[x]], reduction_axes(op), start, add, keep=keep, wraps=wraps(op))
        if result is _itself and compute == result_element(op):
            return [total]
        return [pointwise(lower, [total], shape_of(total), result_element(op), finish)]

    return rule


for _name, _builds in _SUMS.items():
    lowers(_name)(_sum_rule(*_builds))


@lowers("ReduceLogSumExp")
def _reduce_log_sum_exp(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower log(sum(exp(x))) as m + log(sum(exp(x - m))), m the largest finite element: nothing overflows."""
    compute, x, axes = compute_type(op), op.operands[0], reduction_axes(op)
    compute = compute if is_float(compute) else f64

    def wide(body: Body, element: SSAValue) -> SSAValue:
        return body.convert(element, compute, unsigned=is_unsigned(x))

    def larger(body: Body, element: SSAValue, largest: SSAValue) -> SSAValue:
        return body.max(largest, wide(body, element))

    def finite(body: Body, largest: SSAValue) -> SSAValue:
        infinite = body.compare(body.magnitude(largest), "eq", float("inf"))
        return body.select(infinite, body.constant(0, compute), largest)

    def add(body: Body, element: SSAValue, largest: SSAValue, total: SSAValue) -> SSAValue:
        distance = body.sub(wide(body, element), finite(body, largest))
        return body.add(total, body.op(math.ExpOp(distance)))

    def finish(body: Body, largest: SSAValue, total: SSAValue) -> SSAValue:
        return body.convert(body.add(_log(body, total), finite(body, largest)), result_element(op))

    largest = fold_axes(lower, [lower[x]], axes, lowest(compute), larger)
    total = fold_axes(lower, [lower[x], largest], axes, scalar_attr(0, compute), add)
    result = pointwise(lower, [largest, total], shape_of(total), result_element(op), finish)
    return [lower.reshape(result, shape_of(op.results[0]))]


@lowers("ReduceMean", "IntegerMean")
def mean(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a mean of floats, or of integers rounded as IntegerMean defines."""
    total = reduced(lower, op, "sum", compute_type(op))
    count = prod(shape_of(op.operands[0])[axis] for axis in reduction_axes(op))
    element = result_element(op)
    body = Body([element_of(total), element])
    value = body.args[0]
    if is_float(value.type):
        result = body.div(value, count)
    elif count & (count - 1) == 0 and not op.attribute("keepdims"):
        result = body.shift_right(body.add(value, count >> 1), count.bit_length() - 1)
    else:
        half = body.mul(body.sign(value), count >> 1)
        result = body.div(body.add(value, half), count)
    shape = shape_of(total)
    block = body.finish(body.convert(result, element))
    return [lower.generic([total], [AffineMap.identity(len(shape))], shape, element, block)]
