"""Lowerings of scatters at computed indices, as loops that write one element per iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Attribute, SSAValue

from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, shape_of
from .code import Code, filled
from .indexed import known_range
from .lowerer import Lowerer, is_unsigned, lowers, unsupported
from .movement import fixed
from .rules import compute_type, result_element

Combine = Callable[[Code, SSAValue, SSAValue], SSAValue]
"""`(code, old, new) -> element`."""


def _combination(op: OnnxOp) -> Combine | None:
    """Return the combination of an update with the old element; None where it replaces it."""
    kind = op.attribute("reduction") if "reduction" in op.SCHEMA.attributes else "none"
    if kind == "none":
        return None
    data = op.operands[0]
    element, unsigned = result_element(op), is_unsigned(data)
    if unsigned and (integer_width(element_of(data)) or 0) == 64 and kind in ("max", "min"):
        raise unsupported(op, f"with reduction '{kind}' of unsigned integers of 64 bits", "use signed ones")
    compute: Attribute = element if unsigned and kind in ("add", "mul") else compute_type(op)

    def combine(code: Code, old: SSAValue, new: SSAValue) -> SSAValue:
        a, b = (code.convert(value, compute, unsigned=unsigned) for value in (old, new))
        joined = {"add": code.add, "mul": code.mul, "max": code.max, "min": code.min}[kind](a, b)
        return code.convert(joined, element)

    return combine


def _write(code: Code, combine: Combine | None, target: SSAValue, place: Sequence[SSAValue], new: SSAValue) -> SSAValue:
    """Append an update of one element."""
    if combine is not None:
        new = combine(code, code.take(target, place), new)
    return code.put(new, target, place)


@lowers("ScatterElements", "Scatter")
def _scatter_elements(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    data, indices, updates = op.operands
    shape, axis = shape_of(data), int(op.attribute("axis")) % len(shape_of(data))
    combine, interval = _combination(op), known_range(indices)

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        index = code.take(lower[indices], point)
        place = code.within(index, shape[axis], interval, unsigned=is_unsigned(indices))
        new = code.take(lower[updates], point)
        return [_write(code, combine, carried[0], [*point[:axis], place, *point[axis + 1 :]], new)]

    return Code.after(lower, wraps=True).nest(shape_of(indices), [lower[data]], turn)


@lowers("ScatterND")
def _scatter_nd(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    data, indices, updates = op.operands
    shape, interval, combine = shape_of(data), known_range(indices), _combination(op)
    *places, depth = shape_of(indices)

    def update(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        coordinates = [code.take(lower[indices], [*point, code.value(k)]) for k in range(depth)]
        first = [
            code.within(index, shape[k], interval, unsigned=is_unsigned(indices)) for k, index in enumerate(coordinates)
        ]

        def element(code: Code, rest: Sequence[SSAValue], target: Sequence[SSAValue]) -> Sequence[SSAValue]:
            new = code.take(lower[updates], [*point, *rest])
            return [_write(code, combine, target[0], [*first, *rest], new)]

        return code.nest(shape[depth:], carried, element)

    return Code.after(lower, wraps=True).nest(places, [lower[data]], update)


@lowers("MaxUnpool")
def _max_unpool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower the inverse of a pooling: indices count the elements of the unpooled tensor, not of `output_shape`."""
    x, indices = op.operands[:2]
    result, element = shape_of(op.results[0]), element_of(lower[x])
    shape = _unpooled(op) if op.node_input(2) is not None else list(result)
    flat = filled(lower, [prod(result)], 0, element)
    target = result if len(shape) != len(result) else shape
    interval = known_range(indices)

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        place = code.within(code.take(lower[indices], point), prod(target), interval)
        return [code.put(code.take(lower[x], point), carried[0], [_moved(code, place, target, result)])]

    (unpooled,) = Code.after(lower).nest(shape_of(x), [flat], turn)
    return [lower.reshape(unpooled, result)]


def _unpooled(op: OnnxOp) -> list[int]:
    """Return the shape that the pooling had taken, as far as its attributes tell."""
    kernel = list(op.attribute("kernel_shape"))
    rank = len(kernel)
    strides, pads = list(op.attribute("strides") or [1] * rank), list(op.attribute("pads") or [0] * 2 * rank)
    spatial = [
        (size - 1) * stride - pads[i] - pads[i + rank] + window
        for i, (size, stride, window) in enumerate(zip(shape_of(op.operands[0])[2:], strides, kernel, strict=True))
    ]
    return [*shape_of(op.operands[0])[:2], *spatial]


def _moved(code: Code, place: SSAValue, source: Sequence[int], target: Sequence[int]) -> SSAValue:
    """Append the number of an element of `target` that has the indices of element `place` of `source`."""
    if list(source) == list(target):
        return place
    total = code.value(0)
    for axis, extent in enumerate(target):
        inner = prod(source[axis + 1 :])
        index = code.div(place, inner)
        place = code.sub(place, code.mul(index, inner))
        total = code.add(code.mul(total, extent), index)
    return total


@lowers("Col2Im")
def _col2im(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower the sum of blocks at their source positions, without those in the padding."""
    x, block = op.operands[0], fixed(op, 2, "block shapes")
    assert block is not None
    result = shape_of(op.results[0])
    spatial, kernel = list(result[2:]), [int(extent) for extent in block]
    rank = len(kernel)
    strides = list(op.attribute("strides") or [1] * rank)
    dilations = list(op.attribute("dilations") or [1] * rank)
    pads = list(op.attribute("pads") or [0] * 2 * rank)
    counts = [
        (size + pads[i] + pads[i + rank] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
        for i, size in enumerate(spatial)
    ]
    source = lower.reshape(lower[x], [*result[:2], *kernel, *counts])

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        at, offsets, blocks = point[:2], point[2 : 2 + rank], point[2 + rank :]
        places = [
            code.sub(code.add(code.mul(b, stride), code.mul(o, dilation)), pad)
            for b, o, stride, dilation, pad in zip(blocks, offsets, strides, dilations, pads, strict=False)
        ]
        inside = code.all_of([code.is_inside(place, size) for place, size in zip(places, spatial, strict=True)])
        near = [code.clip(place, 0, size - 1) for place, size in zip(places, spatial, strict=True)]
        old = code.take(carried[0], [*at, *near])
        new = code.add(old, code.take(source, point))
        return [code.put(code.select(inside, new, old), carried[0], [*at, *near])]

    start = filled(lower, result, 0, element_of(source))
    return Code.after(lower, wraps=True).nest([*result[:2], *kernel, *counts], [start], turn)
