"""Lowerings of RoiAlign and MaxRoiPool: parts of pictures that the run chooses, brought to one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, SSAValue

from ...dialects.core.scalars import lowest
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .code import INDEX, Code
from .indexed import known_range
from .lowerer import Lowerer, lowers
from .rules import result_element
from .sampling import bounded, floored, kind_of

_FAR = 2.0**20
"""Regions reach no further than this many elements, nor do they have more points along an axis."""


def _counted(code: Code, x: SSAValue) -> SSAValue:
    """Append a float, rounded up, as an index."""
    up = bounded(code, code.op(math.CeilOp(x)), 0, _FAR)
    return code.op(arith.IndexCastOp(code.op(arith.FPToSIOp(up, i64)), INDEX))


def _real(code: Code, index: SSAValue, type: Attribute) -> SSAValue:
    """Append an index as a float."""
    return code.convert(code.op(arith.IndexCastOp(index, i64)), type)


def _neighbours(code: Code, place: SSAValue, extent: int) -> tuple[SSAValue, list[tuple[SSAValue, SSAValue]]]:
    """Append whether a place counts, and the two elements beside it with their weights."""
    counts = code.both(code.compare(place, "sge", -1), code.compare(place, "sle", extent))
    near = bounded(code, place, 0, extent - 1)
    whole, low = floored(code, near)
    share = code.sub(near, whole)
    high = code.min(code.add(low, 1), code.value(extent - 1))
    return counts, [(low, code.sub(code.constant(1, share.type), share)), (high, share)]


@dataclass(frozen=True)
class _Alignment:
    """Sampling of a picture [N, C, H, W] by RoiAlign in regions [R, 4]: x, y of their begin, then of their end."""

    picture: SSAValue
    regions: SSAValue
    bins: Sequence[int]
    """The parts of a region, along each axis."""
    scale: float
    is_half: bool
    """Whether the middle of a pixel is half a pixel from its edge."""
    is_mean: bool
    """Whether samples are averaged; else the largest is taken."""
    compute: Attribute

    @property
    def extents(self) -> Sequence[int]:
        """H and W."""
        return shape_of(self.picture)[2:]

    def span(self, code: Code, roi: SSAValue, axis: int) -> tuple[SSAValue, SSAValue]:
        """Append the begin of a region along an axis, and the length of each of its parts."""
        ends = [code.take(self.regions, [roi, code.value(1 - axis + k)]) for k in (0, 2)]
        scaled = [code.mul(code.convert(end, self.compute), self.scale) for end in ends]
        low, high = (bounded(code, code.sub(end, 0.5) if self.is_half else end, -_FAR, _FAR) for end in scaled)
        length = code.sub(high, low)
        length = length if self.is_half else code.max(length, 1)
        return low, code.div(length, self.bins[axis])

    def joined(self, code: Code, total: SSAValue, value: SSAValue) -> SSAValue:
        """Append the combination of two values: their sum, or the larger."""
        return code.add(total, value) if self.is_mean else code.max(total, value)

    def value_at(self, code: Code, at: Sequence[SSAValue], places: Sequence[SSAValue]) -> SSAValue:
        """Append the picture at a place between elements: the sum of four, or the largest."""
        neighbours = [_neighbours(code, place, extent) for place, extent in zip(places, self.extents, strict=True)]
        terms = [
            code.mul(code.convert(code.take(self.picture, [*at, y, z]), self.compute), code.mul(a, b))
            for y, a in neighbours[0][1]
            for z, b in neighbours[1][1]
        ]
        total = reduce(partial(self.joined, code), terms)
        return code.select(code.both(neighbours[0][0], neighbours[1][0]), total, code.constant(0, self.compute))

    def result(self, code: Code, total: SSAValue, points: SSAValue) -> SSAValue:
        """Append the pooled value of a bin from all of its samples."""
        if self.is_mean:
            return code.div(total, _real(code, code.max(points, code.value(1)), self.compute))
        return code.select(code.compare(points, "sgt", 0), total, code.constant(0, self.compute))


@lowers("RoiAlign")
def _roi_align(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, rois, batches = (lower[value] for value in op.operands)
    result, compute = shape_of(op.results[0]), kind_of(x)
    ratio, is_mean = int(op.attribute("sampling_ratio")), op.attribute("mode").lower() == "avg"
    is_half = op.attribute("coordinate_transformation_mode") == "half_pixel"
    alignment = _Alignment(x, rois, result[2:], float(op.attribute("spatial_scale")), is_half, is_mean, compute)
    interval = known_range(op.operands[2])

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        roi, channel, *cell = point
        batch = code.within(code.take(batches, [roi]), shape_of(x)[0], interval)
        spans = [alignment.span(code, roi, axis) for axis in range(2)]
        counts = [code.value(ratio) if ratio > 0 else _counted(code, part) for _, part in spans]
        starts = [
            code.add(low, code.mul(_real(code, index, compute), part))
            for (low, part), index in zip(spans, cell, strict=True)
        ]
        steps = [code.div(part, _real(code, count, compute)) for (_, part), count in zip(spans, counts, strict=True)]

        def sample(code: Code, offsets: Sequence[SSAValue], total: SSAValue) -> SSAValue:
            places = [
                code.add(start, code.mul(code.add(_real(code, offset, compute), 0.5), step))
                for start, offset, step in zip(starts, offsets, steps, strict=True)
            ]
            return alignment.joined(code, total, alignment.value_at(code, [batch, channel], places))

        def row(code: Code, i: SSAValue, totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return code.iterate(counts[1], totals, lambda inner, j, own: [sample(inner, [i, j], own[0])])

        begin = code.constant(0 if is_mean else lowest(compute).value.data, compute)
        (total,) = code.iterate(counts[0], [begin], row)
        result = alignment.result(code, total, code.mul(counts[0], counts[1]))
        return [code.put(code.convert(result, result_element(op)), carried[0], point)]

    return Code.after(lower).nest(result, [lower.empty(result, result_element(op))], turn)


@lowers("MaxRoiPool")
def _max_roi_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, rois = (lower[value] for value in op.operands)
    result, extents = shape_of(op.results[0]), shape_of(x)[2:]
    scale = float(op.attribute("spatial_scale"))
    lowest_element = lowest(element_of(x)).value.data

    def corner(code: Code, roi: SSAValue, column: int) -> SSAValue:
        """Append a corner of a region, as the nearest whole number; halves are rounded away from 0."""
        end = code.mul(code.convert(code.take(rois, [roi, code.value(column)]), f32), scale)
        far = code.op(math.FloorOp(code.add(code.op(math.AbsFOp(end)), 0.5)))
        sign = code.select(code.compare(end, "slt", 0), code.constant(-1, f32), code.constant(1, f32))
        return bounded(code, code.mul(far, sign), -_FAR, _FAR)

    def span(code: Code, roi: SSAValue, cell: SSAValue, axis: int) -> tuple[SSAValue, SSAValue]:
        """Append the first element of a part of a region, and the one after its last."""
        low, high = corner(code, roi, 2 - axis), corner(code, roi, 4 - axis)
        part = code.div(code.max(code.add(code.sub(high, low), 1), 1), result[2 + axis])
        here = _real(code, cell, f32)
        first = code.add(code.op(math.FloorOp(code.mul(here, part))), low)
        end = code.add(code.op(math.CeilOp(code.mul(code.add(here, 1), part))), low)
        limited = [bounded(code, point, 0, extents[axis]) for point in (first, end)]
        return floored(code, limited[0])[1], floored(code, limited[1])[1]

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        roi, channel, *cell = point
        number = bounded(code, code.convert(code.take(rois, [roi, code.value(0)]), f32), 0, shape_of(x)[0] - 1)
        batch = floored(code, number)[1]
        spans = [span(code, roi, index, axis) for axis, index in enumerate(cell)]
        counts = [code.sub(end, first) for first, end in spans]

        def element(code: Code, offsets: Sequence[SSAValue], best: SSAValue) -> SSAValue:
            places = [code.add(first, offset) for (first, _), offset in zip(spans, offsets, strict=True)]
            return code.max(best, code.take(x, [batch, channel, *places]))

        def row(code: Code, i: SSAValue, best: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return code.iterate(counts[1], best, lambda inner, j, own: [element(inner, [i, j], own[0])])

        (best,) = code.iterate(counts[0], [code.constant(lowest_element, element_of(x))], row)
        some = code.both(code.compare(counts[0], "sgt", 0), code.compare(counts[1], "sgt", 0))
        best = code.select(some, best, code.constant(0, best.type))
        return [code.put(best, carried[0], point)]

    return Code.after(lower).nest(result, [lower.empty(result, result_element(op))], turn)
