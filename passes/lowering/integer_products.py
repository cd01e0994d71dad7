"""
Lowerings of MatMulInteger and ConvInteger: sums of products of integers less their zero points.

Zero points are factored out of the sums. Those of constant weights are subtracted beforehand; the input's is subtracted
from each sum, times the sum of weights. Of two computed operands both are, times the sums of rows and of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import StringAttr, UnitAttr, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import scalar_attr
from ...dialects.nn import ConvOp, MatmulOp, ReduceOp, ints
from ...dialects.onnx.parameters import goes_with, misfit
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import Array, element_of, numbers_of, shape_of, where
from .lowerer import Lowerer, broadcast_map, constant_of, is_unsigned, lowers
from .movement import padded
from .products import convolved, multiplied
from .rules import pointwise, unsigned_positions
from .windows import window_properties

_BYTE = 255
"""The greatest magnitude of a byte of either sign, and of a zero point."""


def centred(lower: Lowerer, value: SSAValue, zero: SSAValue | None, axis: int = -1) -> SSAValue:
    """
    Append a tensor of 8-bit integers less its zero points, signed.

    `value` and `zero` are of the graph level; a vector of zero points goes along `axis`, from the end.
    """
    constant = constant_of(zero)
    none = zero is None or (constant is not None and not constant.any())
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

    if fault := misfit(op.SCHEMA.name, shape):
        raise _misfit(fault.expected, fault.found, where(op))


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


def constant_convolution(
    lower: Lowerer,
    op: OnnxOp,
    weights: Array,
    zeros: Array,
    x_zero: int,
    accumulator: Attribute,
    *,
    wraps: bool = False,
) -> tuple[SSAValue, Array]:
    """
    Append the convolution of an op's input and constant weights [M, C, ...], which may have bytes of any sign.

    Padding is filled with the input's zero point. Returns the sums, and the sum of each channel's weights, [M]: the
    product of that and the zero point is still to be subtracted. `zeros` broadcasts to the weights.
    """
    x = op.operands[0]
    numbers, type = _centred(weights, zeros)
    windows = window_properties(op, weights.shape[2:])
    pads = numbers_of(windows["pads"])
    rank, fill = len(pads) // 2, scalar_attr(x_zero, element_of(lower[x]))
    source = padded(lower, lower[x], [0, 0, *pads[:rank]], [0, 0, *pads[rank:]], fill)
    properties: dict[str, Attribute | None] = {
        **windows,
        "pads": ints([0] * len(pads)),
        "groups": scalar_attr(op.attribute("group"), i64),
        "accumulator": accumulator,
    }
    out = lower.empty(shape_of(op.results[0]), accumulator)
    unsigned = [0] if is_unsigned(x) else []
    convolution = ConvOp([source, lower.array(numbers, type)], out, properties, unsigned=unsigned, wraps=wraps)
    return lower.op(convolution), numbers.astype(np.int64).reshape(len(numbers), -1).sum(axis=1)


def constant_product(
    lower: Lowerer,
    a: SSAValue,
    weights: Array,
    zeros: Array,
    accumulator: Attribute,
    *,
    wraps: bool = False,
) -> tuple[SSAValue, Array]:
    """
    Append the product of the rows of a graph-level value [..., K] and constant weights [K, N], of bytes of any sign.

    Returns the sums [rows, N], and the sum of each column of weights, [N]: the product of that and the rows' zero point
    is still to be subtracted. `zeros` broadcasts to the weights.
    """
    numbers, type = _centred(weights, zeros)
    depth, columns = weights.shape
    rows = prod(shape_of(a)[:-1])
    properties: dict[str, Attribute | None] = {"accumulator": accumulator, "transpose_b": UnitAttr()}
    source = lower.reshape(lower[a], [rows, depth])
    weight = lower.array(np.ascontiguousarray(numbers.T), type)
    out, unsigned = lower.empty([rows, columns], accumulator), [0] if is_unsigned(a) else []
    product = MatmulOp([source, weight], out, properties, unsigned=unsigned, wraps=wraps)
    return lower.op(product), numbers.astype(np.int64).sum(axis=0)


def product_of_two(
    lower: Lowerer, op: OnnxOp, positions: tuple[int, int, int, int], *, wraps: bool = False
) -> SSAValue:
    """
    Append the product of two graph-level operands less their zero points; `positions` are theirs and those of these.

    One constant zero point each is subtracted from the sums, times the sums of rows and of columns; others are
    subtracted from the operands beforehand, in 16 bits.
    """
    a, b = (op.operands[position] for position in positions[:2])
    # Four sums at most: of products, of both operands times a zero point, and of both zero points.
    can_wrap = 4 * _BYTE * _BYTE * shape_of(a)[-1] >= 1 << 31
    a_zero, b_zero = (op.node_input(position) for position in positions[2:])
    zeros = [np.zeros(1, np.int64) if zero is None else constant_of(zero) for zero in (a_zero, b_zero)]
    plain = all(zero is not None and zero.size == 1 for zero in zeros)
    if not plain or min(len(shape_of(a)), len(shape_of(b))) < 2 or 0 in (*shape_of(a), *shape_of(b)):
        # The zero points of a vector of rows go along the last but one axis, if there is one.
        left = centred(lower, a, a_zero, max(-2, -len(shape_of(a))))
        return multiplied(lower, left, centred(lower, b, b_zero), i32, wraps=wraps and can_wrap)
    left, right = (int(cast(Array, zero).flat[0]) for zero in zeros)
    wrapped = (wraps or bool(left or right)) and can_wrap
    total = multiplied(lower, lower[a], lower[b], i32, unsigned=unsigned_positions([a, b]), wraps=wrapped)
    sums = [_summed(lower, value, axis) for value, axis, zero in ((a, -1, right), (b, -2, left)) if zero]
    factors = [zero for zero in (right, left) if zero]
    if not sums:
        return total
    offset = int(np.int64(shape_of(a)[-1] * left * right).astype(np.int32))

    def build(body: Body, value: SSAValue, *sums: SSAValue) -> SSAValue:
        for total, factor in zip(sums, factors, strict=True):
            value = body.sub(value, body.mul(total, body.constant(factor, i32)))
        return body.add(value, body.constant(offset, i32)) if offset else value

    return pointwise(lower, [total, *sums], shape_of(total), i32, build, wraps=wrapped)


def _summed(lower: Lowerer, value: SSAValue, axis: int) -> SSAValue:
    """Append the sums of a graph-level matrix of bytes along an axis from the end, which stays, of extent 1."""
    shape = list(shape_of(value))
    shape[axis] = 1
    properties: dict[str, Attribute | None] = {
        "kind": StringAttr("sum"),
        "axes": ints([len(shape) + axis]),
        "keep_dims": UnitAttr(),
        "accumulator": i32,
    }
    return lower.op(ReduceOp([lower[value]], lower.empty(shape, i32), properties, unsigned=unsigned_positions([value])))


def _centred(values: Array, zeros: Array) -> tuple[Array, Attribute]:
    """Return weights less their zero points, and the type that holds them."""
    numbers = values.astype(np.int64) - zeros
    narrow = not numbers.size or (numbers.min() >= -128 and numbers.max() <= 127)
    return numbers.astype(np.int8 if narrow else np.int16), i8 if narrow else i16


def _can_wrap(weights: Array, zeros: Array, axis: int) -> bool:
    """Return whether sums of bytes times weights, or these less their zero points, can leave 32 bits, by channel."""
    numbers = np.abs(weights.astype(np.int64) - zeros)
    others = tuple(index for index in range(numbers.ndim) if index != axis)
    return 2 * _BYTE * int(numbers.sum(axis=others).max(initial=0)) >= 1 << 31


def _less(lower: Lowerer, total: SSAValue, sums: Array, axis: int, zero: SSAValue | None, *, wraps: bool) -> SSAValue:
    """Append 32-bit sums less the products of a zero point and the sums of weights along an axis."""
    constant, shape = constant_of(zero), shape_of(total)
    if zero is None or (constant is not None and not constant.any()) or not sums.any():
        return total
    identity = AffineMap.identity(len(shape))
    maps = [identity, AffineMap(len(shape), 0, (identity.results[axis],))]
    if constant is not None:
        offsets = lower.array((int(constant.flat[0]) * sums).astype(np.int32), i32)
        return pointwise(lower, [total, offsets], shape, i32, Body.sub, maps=maps, wraps=wraps)
    unsigned = is_unsigned(zero)

    def build(body: Body, value: SSAValue, weight: SSAValue, zero: SSAValue) -> SSAValue:
        return body.sub(value, body.mul(weight, body.convert(zero, i32, unsigned=unsigned)))

    values = [total, lower.array(sums.astype(np.int32), i32), lower[zero]]
    maps.append(zero_map(shape_of(zero), shape, axis))
    return pointwise(lower, values, shape, i32, build, maps=maps, wraps=wraps)


def _weights(op: OnnxOp) -> tuple[Array, Array] | None:
    """
    Return the second operand and its zero points.

    None where one of them is computed, or the first operand has several zero points.
    """
    weights, zeros, first = constant_of(op.operands[1]), constant_of(op.node_input(3)), op.node_input(2)
    if weights is None or (zeros is None and op.node_input(3) is not None):
        return None
    if first is not None and prod(shape_of(first)) != 1:
        return None
    return weights, np.zeros(1, np.int64) if zeros is None else zeros.astype(np.int64)


@lowers("MatMulInteger")
def _matmul_integer(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    a, weights = op.operands[0], _weights(op)
    if weights is not None and weights[0].ndim == 2 and weights[1].ndim < 2 and len(shape_of(a)) > 1:
        wrapped = _can_wrap(*weights, 1)
        total, sums = constant_product(lower, a, *weights, i32, wraps=wrapped)
        centre = _less(lower, total, sums, 1, op.node_input(2), wraps=wrapped)
        return [lower.reshape(centre, shape_of(op.results[0]))]
    return [product_of_two(lower, op, (0, 1, 2, 3), wraps=True)]


@lowers("ConvInteger")
def _conv_integer(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    check_parameters(op)
    x, w = op.operands[:2]
    constants, zero = _weights(op), op.node_input(2)
    fill = np.zeros(1) if zero is None else constant_of(zero)
    if constants is not None and fill is not None:
        weights, zeros = constants[0], constants[1].reshape(-1, *(1,) * (constants[0].ndim - 1))
        wrapped = _can_wrap(weights, zeros, 0)
        total, sums = constant_convolution(lower, op, weights, zeros, int(fill.flat[0]), i32, wraps=wrapped)
        return [_less(lower, total, sums, 1, zero, wraps=wrapped)]
    left = centred(lower, x, op.node_input(2))
    right = centred(lower, w, op.node_input(3), -len(shape_of(w)))
    return [convolved(lower, op, left, right, i32)]
