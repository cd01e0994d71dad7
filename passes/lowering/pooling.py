"""Lowerings of poolings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import highest, is_float, lowest
from ...dialects.nn import PoolOp, ReduceOp, ints
from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.windows import windows_of
from ...ir import element_of, integer_width, shape_of
from .lowerer import Lowerer, is_unsigned, lowers, unsupported
from .movement import padded
from .rules import compute_type, fold, pointwise, result_element, unsigned_positions
from .windows import cropped, window_properties


def _pooled(
    lower: Lowerer, op: OnnxOp, x: SSAValue, kind: str, accumulator: Attribute, unsigned: Sequence[int] = ()
) -> SSAValue:
    """Append the fold by `kind` of the op's windows of a tensor-level value, its input less what is cropped."""
    kernel = op.attribute("kernel_shape")
    properties: dict[str, Attribute | None] = {
        **window_properties(op, kernel),
        "window": ints(kernel),
        "kind": StringAttr(kind),
        "accumulator": accumulator,
    }
    out = lower.empty(shape_of(op.results[0]), accumulator)
    source = cropped(lower, x, windows_of(op, kernel))
    return lower.op(PoolOp([source], out, properties, unsigned=unsigned))


@lowers("MaxPool")
def _max_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = op.operands[0]
    largest = _pooled(lower, op, lower[x], "max", result_element(op), unsigned_positions([x]))
    return [largest] if len(op.results) == 1 else [largest, _places(lower, op, largest)]


def _places(lower: Lowerer, op: OnnxOp, largest: SSAValue) -> SSAValue:
    """Append the index of the first element of each window that is the window's largest, in the flattened input."""
    x, kernel = op.operands[0], list(op.attribute("kernel_shape"))
    windows = windows_of(op, kernel)
    strides, dilations, begins = windows.strides, windows.dilations, windows.begins
    out, rank = shape_of(largest), len(kernel)
    reach = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(out[2:], strides, kernel, dilations, strict=True)]
    shape = shape_of(x)
    ends = [max(0, n - size - begin) for n, size, begin in zip(reach, shape[2:], begins, strict=True)]
    padding = [max(0, begin) for begin in begins]
    kept = cropped(lower, lower[x], windows)
    source = padded(lower, kept, [0, 0, *padding], [0, 0, *ends], lowest(element_of(kept)))
    dims = AffineMap.identity(2 + 2 * rank).results
    taps = zip(dims[2 : 2 + rank], dims[2 + rank :], strides, dilations, strict=True)
    place = AffineMap(len(dims), 0, (*dims[:2], *(o * s + k * d for o, k, s, d in taps)))
    output, window = AffineMap(len(dims), 0, dims[: 2 + rank]), AffineMap(len(dims), 0, dims[2 + rank :])
    body = Body([element_of(source), element_of(largest), i64, i64])
    element, top, _, first = body.args
    # Integers that floats carry may be wider before than after.
    if (integer_width(element.type) or 0) < (integer_width(top.type) or 0):
        element = body.convert(element, top.type, unsigned=is_unsigned(x))
    top = body.convert(top, element.type, unsigned=is_unsigned(x))
    is_largest = body.compare(element, "eq", top)
    if is_float(element.type):  # NaN, which is a window's largest, equals nothing
        is_largest = body.op(arith.OrIOp(is_largest, body.op(arith.CmpfOp(element, element, "uno"))))
    for axis, places in enumerate(zip(shape[2:], strides, dilations, begins, ends, strict=True)):
        if inside := _inside(body, axis, rank, *places):
            is_largest = body.op(arith.AndIOp(is_largest, inside))
    here = _flat_index(body, shape, strides, dilations, begins)
    candidate = body.select(is_largest, here, body.constant(highest(i64).value.data, i64))
    block = body.finish(body.min(first, candidate))
    # The window's extents are those of a tensor that nobody reads.
    extents = lower.array(np.zeros(kernel, np.int64), i64)
    places = fold(lower, [source, largest, extents], [place, output, window], output, out, highest(i64), block)
    if not op.attribute("storage_order"):
        return places
    return pointwise(lower, [places], out, i64, partial(_reversed_order, sizes=shape[2:]))


def _inside(
    body: Body, axis: int, rank: int, size: int, stride: int, dilation: int, begin: int, end: int
) -> SSAValue | None:
    """Append whether a window's element is in the input along a spatial axis; None where nothing is padded."""
    if not (begin or end):
        return None
    first, tap = body.index_of(2 + axis, i64), body.index_of(2 + rank + axis, i64)
    place = body.add(body.mul(first, stride), body.mul(tap, dilation))
    is_behind, is_before = body.compare(place, "sge", begin), body.compare(place, "slt", begin + size)
    return body.op(arith.AndIOp(is_behind, is_before))


def _reversed_order(body: Body, index: SSAValue, sizes: Sequence[int]) -> SSAValue:
    """Append an index whose spatial axes are flattened with the first one innermost, of one with the last innermost."""
    images = body.mul(body.div(index, prod(sizes)), prod(sizes))
    total, rest = images, body.sub(index, images)
    for axis in reversed(range(len(sizes))):
        outer = body.div(rest, sizes[axis])
        total = body.add(total, body.mul(body.sub(rest, body.mul(outer, sizes[axis])), prod(sizes[:axis])))
        rest = outer
    return total


def _flat_index(
    body: Body,
    shape: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
) -> SSAValue:
    """Append the index of a window's element in the flattened input, from the loops' indices."""
    rank = len(begins)
    weights = [prod(shape[i + 1 :]) for i in range(len(shape))]
    total = body.constant(-sum(begin * weight for begin, weight in zip(begins, weights[2:], strict=True)), i64)
    for dim, weight in enumerate(weights[:2]):
        total = body.add(total, body.mul(body.index_of(dim, i64), weight))
    for axis, (stride, dilation, weight) in enumerate(zip(strides, dilations, weights[2:], strict=True)):
        total = body.add(total, body.mul(body.index_of(2 + axis, i64), stride * weight))
        total = body.add(total, body.mul(body.index_of(2 + rank + axis, i64), dilation * weight))
    return total


@lowers("AveragePool")
def _average_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    compute, element = compute_type(op), result_element(op)
    total = _pooled(lower, op, lower[op.operands[0]], "sum", compute)
    windows, included = windows_of(op, op.attribute("kernel_shape")), bool(op.attribute("count_include_pad"))
    spatial = (shape_of(value)[2:] for value in (op.operands[0], op.results[0]))
    counts = windows.counts(*spatial, with_padding=included)

    def divide(body: Body, value: SSAValue, *count: SSAValue) -> SSAValue:
        return body.convert(body.div(value, count[0] if count else float(counts.flat[0])), element)

    if bool((counts == counts.flat[0]).all()):
        return [pointwise(lower, [total], shape_of(total), element, divide)]
    divisors = lower.array(counts, compute)
    return [pointwise(lower, [total, divisors], shape_of(total), element, divide)]


@lowers("LpPool")
def _lp_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_lp_norm(lower, op, lambda powers, compute: _pooled(lower, op, powers, "sum", compute))]


def _lp_norm(lower: Lowerer, op: OnnxOp, add: Callable[[SSAValue, Attribute], SSAValue]) -> SSAValue:
    """Append the p-th root of the sums that `add` makes of the p-th powers of the op's operand."""
    x, compute, p = lower[op.operands[0]], compute_type(op), int(op.attribute("p"))

    def power(body: Body, value: SSAValue) -> SSAValue:
        wide = body.magnitude(body.convert(value, compute))
        if p <= 2:
            return body.mul(wide, wide) if p == 2 else wide
        return body.op(math.PowFOp(wide, body.constant(p, compute)))

    def root(body: Body, total: SSAValue) -> SSAValue:
        value = total if p == 1 else body.op(math.SqrtOp(total)) if p == 2 else _root(body, total, p)
        return body.convert(value, result_element(op))

    total = add(pointwise(lower, [x], shape_of(x), compute, power), compute)
    return pointwise(lower, [total], shape_of(total), result_element(op), root)


def _root(body: Body, value: SSAValue, degree: int) -> SSAValue:
    return body.op(math.PowFOp(value, body.constant(1 / degree, value.type)))


# Poolings of all there is


def _reduced(lower: Lowerer, x: SSAValue, kind: str, accumulator: Attribute, unsigned: Sequence[int] = ()) -> SSAValue:
    """Append the fold of all spatial axes of x [N, C, spatial...]; they stay, of extent 1."""
    shape = shape_of(x)
    properties: dict[str, Attribute | None] = {
        "kind": StringAttr(kind),
        "axes": ints(range(2, len(shape))),
        "keep_dims": UnitAttr(),
        "accumulator": accumulator,
    }
    out = lower.empty([*shape[:2], *(1 for _ in shape[2:])], accumulator)
    return lower.op(ReduceOp([x], out, properties, unsigned=unsigned))


@lowers("GlobalMaxPool")
def _global_max_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = op.operands[0]
    return [_reduced(lower, lower[x], "max", result_element(op), unsigned_positions([x]))]


@lowers("GlobalAveragePool")
def _global_average_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    compute, element = compute_type(op), result_element(op)
    if not is_float(compute):
        raise unsupported(op, "of integers", "use ReduceMean")
    total = _reduced(lower, lower[op.operands[0]], "sum", compute)
    count = prod(shape_of(op.operands[0])[2:])

    def divide(body: Body, value: SSAValue) -> SSAValue:
        return body.convert(body.div(value, count), element)

    return [pointwise(lower, [total], shape_of(total), element, divide)]


@lowers("GlobalLpPool")
def _global_lp_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_lp_norm(lower, op, lambda powers, compute: _reduced(lower, powers, "sum", compute))]
