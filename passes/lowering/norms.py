"""Lowerings of normalisations: over rows, groups, channels and windows of channels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects import math
from xdsl.dialects.builtin import FloatAttr, StringAttr, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import scalar_attr
from ...dialects.nn import LayerNormOp, PoolOp, RmsNormOp, ints
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .lowerer import Lowerer, lowers
from .products import channel_map
from .rules import compute_type, fold_axes, pointwise, result_element


def normed_rows(
    lower: Lowerer,
    kernel: type[LayerNormOp | RmsNormOp],
    values: Sequence[SSAValue],
    epsilon: float,
    compute: Attribute,
    element: Attribute,
) -> SSAValue:
    """
    Append the norm of the rows of values[0] [rows, L], with the vectors along the row that follow it.

    Computed in the type `compute`; elements of the type `element`.
    """
    properties: dict[str, Attribute | None] = {
        "epsilon": FloatAttr(epsilon, f32),
        "accumulator": compute,
        "element": element,
    }
    return lower.op(kernel(values, lower.empty(shape_of(values[0]), element), properties))


def scaled_channels(lower: Lowerer, value: SSAValue, scale: SSAValue, bias: SSAValue, element: Attribute) -> SSAValue:
    """Append value [N, C, ...] times scale [C] plus bias [C]; computed in the value's type."""
    compute, shape = element_of(value), shape_of(value)

    def build(body: Body, x: SSAValue, factor: SSAValue, term: SSAValue) -> SSAValue:
        scaled = body.mul(x, body.convert(factor, compute))
        return body.convert(body.add(scaled, body.convert(term, compute)), element)

    maps = [AffineMap.identity(len(shape)), channel_map(len(shape)), channel_map(len(shape))]
    return pointwise(lower, [value, scale, bias], shape, element, build, maps=maps)


# Rows


def _row_norm(lower: Lowerer, op: OnnxOp, kernel: type[LayerNormOp | RmsNormOp]) -> SSAValue:
    """Append the normalisation over the axes from `axis` on; scale and bias broadcast to it."""
    x, vectors = op.operands[0], [value for value in op.node_inputs[1:] if value is not None]
    shape = shape_of(x)
    axis = int(op.attribute("axis")) % len(shape)
    row, compute, element, epsilon = shape[axis:], compute_type(op), result_element(op), op.attribute("epsilon")
    rows = lower.reshape(lower[x], [prod(shape[:axis]), prod(row)])
    if all(prod(shape_of(vector)) == prod(shape_of(vector)[-len(row) :]) == prod(row) for vector in vectors):
        along = [lower.reshape(lower[vector], [prod(row)]) for vector in vectors]
        return lower.reshape(normed_rows(lower, kernel, [rows, *along], epsilon, compute, element), shape)
    normed = lower.reshape(normed_rows(lower, kernel, [rows], epsilon, compute, compute), shape)

    def build(body: Body, value: SSAValue, *vectors: SSAValue) -> SSAValue:
        for vector, combine in zip(vectors, (Body.mul, Body.add), strict=False):
            value = combine(body, value, body.convert(vector, compute))
        return body.convert(value, element)

    return pointwise(lower, [normed, *(lower[vector] for vector in vectors)], shape, element, build)


@lowers("LayerNormalization")
def _layer_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    normed = _row_norm(lower, op, LayerNormOp)
    if len(op.results) == 1:
        return [normed]
    axis = int(op.attribute("axis")) % len(shape_of(op.operands[0]))
    axes = range(axis, len(shape_of(op.operands[0])))
    statistics = row_statistics(lower, lower[op.operands[0]], axes, compute_type(op), op.attribute("epsilon"))
    results = zip((normed, *statistics), op.node_outputs, strict=False)
    return [value for value, output in results if output is not None]


def row_statistics(
    lower: Lowerer, x: SSAValue, axes: Sequence[int], compute: Attribute, epsilon: float
) -> tuple[SSAValue, SSAValue]:
    """Append mean and inverse standard deviation, 1 / sqrt(variance + epsilon), along axes; see `moments`."""
    mean, variance = moments(lower, x, axes, compute)

    def inverse(body: Body, value: SSAValue) -> SSAValue:
        root = body.op(math.SqrtOp(body.add(value, epsilon)))
        return body.div(body.constant(1, value.type), root)

    return mean, pointwise(lower, [variance], shape_of(variance), compute, inverse)


@lowers("RMSNormalization")
def _rms_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_row_norm(lower, op, RmsNormOp)]


@lowers("RMSNorm")
def _rms_norm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, weight = op.operands
    shape = shape_of(x)
    rows = lower.reshape(lower[x], [prod(shape[:-1]), shape[-1]])
    values = [rows, lower.reshape(lower[weight], [shape[-1]])]
    normed = normed_rows(lower, RmsNormOp, values, op.attribute("eps"), compute_type(op), result_element(op))
    return [lower.reshape(normed, shape)]


def moments(lower: Lowerer, x: SSAValue, axes: Sequence[int], compute: Attribute) -> tuple[SSAValue, SSAValue]:
    """Append mean and variance of a tensor-level value along axes, kept with extent 1, in the type `compute`."""
    count = prod(shape_of(x)[axis] for axis in axes)

    def add(body: Body, value: SSAValue, total: SSAValue) -> SSAValue:
        return body.add(total, body.convert(value, compute))

    def add_square(body: Body, value: SSAValue, mean: SSAValue, total: SSAValue) -> SSAValue:
        centred = body.sub(body.convert(value, compute), mean)
        return body.add(total, body.mul(centred, centred))

    def divide(body: Body, total: SSAValue) -> SSAValue:
        return body.div(total, count)

    zero = scalar_attr(0, compute)
    total = fold_axes(lower, [x], axes, zero, add)
    mean = pointwise(lower, [total], shape_of(total), compute, divide)
    squares = fold_axes(lower, [x, mean], axes, zero, add_square)
    return mean, pointwise(lower, [squares], shape_of(squares), compute, divide)


# Groups and channels


def _group_norm(lower: Lowerer, op: OnnxOp, groups: int) -> SSAValue:
    """Append the norm of each group of channels of x [N, C, ...], scaled by channel."""
    x, scale, bias = op.operands
    shape, compute = shape_of(x), compute_type(op)
    rows = lower.reshape(lower[x], [shape[0] * groups, prod(shape[1:]) // groups])
    normed = normed_rows(lower, LayerNormOp, [rows], op.attribute("epsilon"), compute, compute)
    whole = lower.reshape(normed, shape)
    return scaled_channels(lower, whole, lower[scale], lower[bias], result_element(op))


@lowers("InstanceNormalization")
def _instance_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_group_norm(lower, op, shape_of(op.operands[0])[1])]


@lowers("GroupNormalization")
def _group_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_group_norm(lower, op, int(op.attribute("num_groups")))]


@lowers("BatchNormalization")
def _batch_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a batch norm to one factor and one term for each channel, constants where the statistics are."""
    x, scale, bias, mean, variance = (lower[value] for value in op.operands)
    compute = compute_type(op)
    running: list[SSAValue] = []
    if op.attribute("training_mode"):
        mean, variance, running = _batch_statistics(lower, op, compute)
    epsilon = float(op.attribute("epsilon"))

    def factor(body: Body, scale: SSAValue, variance: SSAValue) -> SSAValue:
        deviation = body.op(math.SqrtOp(body.add(body.convert(variance, compute), epsilon)))
        return body.div(body.convert(scale, compute), deviation)

    def term(body: Body, bias: SSAValue, mean: SSAValue, factor: SSAValue) -> SSAValue:
        return body.sub(body.convert(bias, compute), body.mul(body.convert(mean, compute), factor))

    channels = shape_of(scale)
    factors = pointwise(lower, [scale, variance], channels, compute, factor)
    terms = pointwise(lower, [bias, mean, factors], channels, compute, term)
    shape, element = shape_of(x), result_element(op)

    def build(body: Body, value: SSAValue, factor: SSAValue, term: SSAValue) -> SSAValue:
        return body.convert(body.add(body.mul(body.convert(value, compute), factor), term), element)

    rank = len(shape)
    # Without an axis of channels, there is one channel.
    along = channel_map(rank) if rank > 1 else AffineMap(rank, 0, (AffineMap.constant_map(0).results[0],))
    maps = [AffineMap.identity(rank), along, along]
    return [pointwise(lower, [x, factors, terms], shape, element, build, maps=maps), *running]


def _batch_statistics(lower: Lowerer, op: OnnxOp, compute: Attribute) -> tuple[SSAValue, SSAValue, list[SSAValue]]:
    """Append mean and variance of the batch by channel, [C], and the running ones as far as they are results."""
    x = lower[op.operands[0]]
    channels, momentum = shape_of(op.operands[3]), float(op.attribute("momentum"))
    axes = [axis for axis in range(len(shape_of(x))) if axis != 1]
    batch = [lower.reshape(value, channels) for value in moments(lower, x, axes, compute)]
    running: list[SSAValue] = []
    for index, old, new in zip((1, 2), op.operands[3:], batch, strict=True):
        if index >= len(op.results):
            continue
        element = result_element(op, index)

        def mix(body: Body, old: SSAValue, new: SSAValue, element: Attribute = element) -> SSAValue:
            kept = body.mul(body.convert(old, compute), momentum)
            return body.convert(body.add(kept, body.mul(new, 1 - momentum)), element)

        running.append(pointwise(lower, [lower[old], new], channels, element, mix))
    return batch[0], batch[1], running


@lowers("LpNormalization")
def _lp_normalization(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower x / |x|_p along an axis; zero stays zero."""
    x, p, compute = lower[op.operands[0]], int(op.attribute("p")), compute_type(op)
    axis = int(op.attribute("axis")) % len(shape_of(x))

    def add(body: Body, value: SSAValue, total: SSAValue) -> SSAValue:
        wide = body.convert(value, compute)
        return body.add(total, body.mul(wide, wide) if p == 2 else body.magnitude(wide))

    def divide(body: Body, value: SSAValue, total: SSAValue) -> SSAValue:
        norm = body.op(math.SqrtOp(total)) if p == 2 else total
        share = body.div(body.convert(value, compute), norm)
        zero = body.constant(0, compute)
        return body.convert(body.select(body.compare(norm, "eq", zero), zero, share), result_element(op))

    total = fold_axes(lower, [x], [axis], scalar_attr(0, compute), add)
    return [pointwise(lower, [x, total], shape_of(x), result_element(op), divide)]


# Windows of channels


@lowers("LRN")
def _local_response(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower x / (bias + alpha / size * s)^beta, where s sums the squares of `size` neighbouring channels."""
    x, size, compute = lower[op.operands[0]], int(op.attribute("size")), compute_type(op)
    shape = shape_of(x)
    channels = [shape[0], 1, shape[1], prod(shape[2:])]

    def square(body: Body, value: SSAValue) -> SSAValue:
        wide = body.convert(value, compute)
        return body.mul(wide, wide)

    def divide(body: Body, value: SSAValue, total: SSAValue) -> SSAValue:
        base = body.add(body.mul(total, float(op.attribute("alpha")) / size), float(op.attribute("bias")))
        power = body.op(math.PowFOp(base, body.constant(op.attribute("beta"), compute)))
        return body.convert(body.div(body.convert(value, compute), power), result_element(op))

    before = (size - 1) // 2
    windows: dict[str, Any] = {
        "window": ints([size, 1]),
        "strides": ints([1, 1]),
        "dilations": ints([1, 1]),
        "pads": ints([before, 0, size - 1 - before, 0]),
        "kind": StringAttr("sum"),
        "accumulator": compute,
    }
    squares = lower.reshape(pointwise(lower, [x], shape, compute, square), channels)
    sums = lower.reshape(lower.op(PoolOp([squares], lower.empty(channels, compute), windows)), shape)
    return [pointwise(lower, [x, sums], shape, result_element(op), divide)]
