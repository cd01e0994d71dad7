"""Lowerings of sums of products: convolutions and matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import UnitAttr, f64, i64
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float, scalar_attr
from ...dialects.nn import ConvOp, MatmulOp
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .lowerer import Lowerer, constant_of, is_unsigned, lowers
from .rules import add_bias, compute_type, pointwise, result_element, unsigned_positions, wraps
from .windows import window_properties


@lowers("Conv")
def _conv(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, w = op.operands[:2]
    total = convolved(lower, op, lower[x], lower[w], compute_type(op), unsigned=unsigned_positions([x, w]))
    return [add_bias(lower, op, total, op.node_input(2), channel_map(len(shape_of(total))))]


def convolved(
    lower: Lowerer, op: OnnxOp, x: SSAValue, w: SSAValue, accumulator: Attribute, *, unsigned: Sequence[int] = ()
) -> SSAValue:
    """Append the convolution of tensor-level values that the attributes of an operator describe."""
    properties: dict[str, Attribute | None] = {
        **window_properties(op, shape_of(w)[2:]),
        "groups": scalar_attr(op.attribute("group"), i64),
        "accumulator": accumulator,
    }
    out = lower.empty(shape_of(op.results[0]), accumulator)
    return lower.op(ConvOp([x, w], out, properties, unsigned=unsigned, wraps=wraps(op)))


def channel_map(rank: int) -> AffineMap:
    """Return the map from an element [N, C, ...] to that of its channel."""
    return AffineMap(rank, 0, (AffineMap.identity(rank).results[1],))


def _product(lower: Lowerer, op: OnnxOp, shape: Sequence[int], **flags: bool) -> SSAValue:
    a, b = op.operands[:2]
    values = [lower[a], lower[_swapped(b) or b if op.name == "onnx.MatMul" else b]]
    if len(shape_of(a)) == 1:
        values[0] = lower.reshape(values[0], [1, *shape_of(a)])
    if len(shape_of(b)) == 1:
        values[1] = lower.reshape(values[1], [*shape_of(b), 1])
    accumulator = compute_type(op)
    properties: dict[str, Attribute | None] = {"accumulator": accumulator}
    properties |= {name: UnitAttr() if value else None for name, value in flags.items()}
    signs = unsigned_positions([a, b])
    return lower.op(MatmulOp(values, lower.empty(shape, accumulator), properties, unsigned=signs, wraps=wraps(op)))


@lowers("MatMul")
def _matmul(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    a, b = (shape_of(value) for value in op.operands[:2])
    shape = list(shape_of(op.results[0]))
    if len(b) == 1:
        shape.append(1)
    if len(a) == 1:
        shape.insert(len(shape) - 1, 1)
    total = _product(lower, op, shape, transpose_b=_swapped(op.operands[1]) is not None)
    return [add_bias(lower, op, lower.reshape(total, shape_of(op.results[0])), None, None)]


def multiplied(
    lower: Lowerer,
    a: SSAValue,
    b: SSAValue,
    accumulator: Attribute,
    *,
    unsigned: Sequence[int] = (),
    wraps: bool = False,
) -> SSAValue:
    """Append the matrix product of tensor-level values, as NumPy's matmul broadcasts them."""
    left, right = shape_of(a), shape_of(b)
    a = lower.reshape(a, [1, *left]) if len(left) == 1 else a
    b = lower.reshape(b, [*right, 1]) if len(right) == 1 else b
    batch = np.broadcast_shapes(shape_of(a)[:-2], shape_of(b)[:-2])
    out = lower.empty([*batch, shape_of(a)[-2], shape_of(b)[-1]], accumulator)
    total = lower.op(MatmulOp([a, b], out, {"accumulator": accumulator}, unsigned=unsigned, wraps=wraps))
    rows, columns = ([] if len(shape) == 1 else [shape[axis]] for shape, axis in ((left, -2), (right, -1)))
    return lower.reshape(total, [*batch, *rows, *columns])


@mentions("Transpose")
def _swapped(value: SSAValue) -> SSAValue | None:
    """Return the source of a transpose of the last two axes, None for other values."""
    if not isinstance(value, OpResult) or value.op.name != "onnx.Transpose":
        return None
    if constant_of(value.op.operands[0]) is not None:
        return None
    rank = len(shape_of(value))
    order = list(cast(OnnxOp, value.op).attribute("perm") or range(rank - 1, -1, -1))
    return value.op.operands[0] if order == [*range(rank - 2), rank - 1, rank - 2] else None


@lowers("Gemm")
def _gemm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    alpha, beta, bias = op.attribute("alpha"), op.attribute("beta"), op.node_input(2)
    total = _product(
        lower,
        op,
        shape_of(op.results[0]),
        transpose_a=bool(op.attribute("transA")),
        transpose_b=bool(op.attribute("transB")),
    )
    if alpha == 1 and (bias is None or beta == 1):
        return [add_bias(lower, op, total, bias, None)]
    element, kind = result_element(op), element_of(total)
    whole = float(alpha).is_integer() and (bias is None or float(beta).is_integer())
    compute = kind if is_float(kind) or whole else f64
    # A float becomes an integer of 64 bits first, so that one of 32 bits without a sign may be above its signed half.
    between = compute if compute == kind else i64
    sign = bias is not None and is_unsigned(bias)

    def build(body: Body, value: SSAValue, *bias: SSAValue) -> SSAValue:
        value = body.mul(body.convert(value, compute), alpha)
        for term in bias:
            value = body.add(value, body.mul(body.convert(term, compute, unsigned=sign), beta))
        return body.convert(body.convert(value, between), element)

    values = [total] if bias is None else [total, lower[bias]]
    return [pointwise(lower, values, shape_of(total), element, build, wraps=wraps(op))]
