"""Lowerings of the operators of training graphs: gradients, and steps of optimisers; see `core/onnx_custom.py`."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, prod, sqrt

from xdsl.dialects import math
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...dialects.core.body import Body
from ...dialects.core.scalars import scalar_attr
from ...dialects.onnx.schema import OnnxOp
from ...ir import shape_of
from .activations import normal_probability
from .lowerer import Lowerer, is_unsigned, lowers
from .norms import row_statistics
from .rules import compute_type, fold_axes, pointwise, result_element, scalar_rule


@lowers("SGD")
def _sgd(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    def step(body: Body, weight: SSAValue, gradient: SSAValue) -> SSAValue:
        return body.sub(weight, body.mul(gradient, op.attribute("lr")))

    return scalar_rule(step)(lower, op)


@lowers("GeluGrad")
def _gelu_gradient(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    def gradient(body: Body, dy: SSAValue, x: SSAValue) -> SSAValue:
        density = body.op(math.ExpOp(body.mul(body.mul(x, x), -0.5)))
        slope = body.mul(body.mul(x, density), 1 / sqrt(2 * pi))
        return body.mul(dy, body.add(normal_probability(body, x), slope))

    return scalar_rule(gradient)(lower, op)


@lowers("SoftmaxGrad")
def _softmax_gradient(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    dy, y = (lower[value] for value in op.operands)
    axis, compute, element = int(op.attribute("axis")) % len(shape_of(y)), compute_type(op), result_element(op)

    def add(body: Body, dy: SSAValue, y: SSAValue, total: SSAValue) -> SSAValue:
        return body.add(total, body.mul(body.convert(dy, compute), body.convert(y, compute)))

    def gradient(body: Body, dy: SSAValue, y: SSAValue, total: SSAValue) -> SSAValue:
        distance = body.sub(body.convert(dy, compute), total)
        return body.convert(body.mul(body.convert(y, compute), distance), element)

    total = fold_axes(lower, [dy, y], [axis], scalar_attr(0, compute), add)
    return [pointwise(lower, [dy, y, total], shape_of(y), element, gradient)]


@lowers("SoftmaxCrossEntropyLossGrad")
def _loss_gradient(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    logarithms, labels = op.operands
    batch, classes = shape_of(logarithms)
    compute, element = compute_type(op), result_element(op)
    rows = lower.reshape(lower[labels], [batch, 1])

    def gradient(body: Body, logarithm: SSAValue, label: SSAValue) -> SSAValue:
        wide = body.convert(label, i64, unsigned=is_unsigned(labels))
        probability = body.op(math.ExpOp(body.convert(logarithm, compute)))
        hit = body.compare(body.index_of(1, i64), "eq", wide)
        distance = body.select(hit, body.sub(probability, 1), probability)
        return body.convert(body.div(distance, batch**2), element)

    return [pointwise(lower, [lower[logarithms], rows], [batch, classes], element, gradient)]


@lowers("LayerNormalizationGrad")
def _layer_norm_gradient(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    dy, x, scale = (lower[value] for value in op.operands[:3])
    shape, compute = shape_of(x), compute_type(op)
    first = int(op.attribute("axis")) % len(shape)
    inner, outer = list(range(first, len(shape))), list(range(first))
    if len(op.operands) == 5:
        mean, deviation = (lower[value] for value in op.operands[3:])
    else:
        mean, deviation = row_statistics(lower, x, inner, compute, op.attribute("eps"))
    count, zero = prod(shape[first:]), scalar_attr(0, compute)

    def wide(body: Body, *values: SSAValue) -> list[SSAValue]:
        return [body.convert(value, compute) for value in values]

    def normal(body: Body, x: SSAValue, mean: SSAValue, deviation: SSAValue) -> SSAValue:
        x, mean, deviation = wide(body, x, mean, deviation)
        return body.mul(body.sub(x, mean), deviation)

    def weighted(body: Body, dy: SSAValue, scale: SSAValue) -> SSAValue:
        return body.mul(*wide(body, dy, scale))

    def plain(body: Body, h: SSAValue, total: SSAValue) -> SSAValue:
        return body.add(total, h)

    def projected(body: Body, w: SSAValue, h: SSAValue, total: SSAValue) -> SSAValue:
        return body.add(total, body.mul(w, h))

    def scaled(body: Body, dy: SSAValue, h: SSAValue, total: SSAValue) -> SSAValue:
        return body.add(total, body.mul(*wide(body, dy, h)))

    def gradient(body: Body, w: SSAValue, h: SSAValue, total: SSAValue, shadow: SSAValue, part: SSAValue) -> SSAValue:
        means = body.div(body.add(total, body.mul(h, shadow)), count)
        return body.convert(body.mul(body.convert(part, compute), body.sub(w, means)), result_element(op))

    h = pointwise(lower, [x, mean, deviation], shape, compute, normal)
    w = pointwise(lower, [dy, scale], shape, compute, weighted)
    total = fold_axes(lower, [w], inner, zero, plain)
    shadow = fold_axes(lower, [w, h], inner, zero, projected)
    dx = pointwise(lower, [w, h, total, shadow, deviation], shape, result_element(op), gradient)
    along_scale = fold_axes(lower, [dy, h], outer, zero, scaled, keep=False)
    along_bias = fold_axes(lower, [dy], outer, zero, plain, keep=False)
    results = zip((dx, along_scale, along_bias), op.node_outputs, strict=False)
    return [value for value, output in results if output is not None]
