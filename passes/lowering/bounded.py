"""Lowerings of operators of data-dependent result size: loops that append to a tensor of the largest size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

from xdsl.dialects.builtin import f32, i1, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import scalar_attr
from ...dialects.onnx.schema import OnnxOp
from ...ir import shape_of
from .code import Code, computed, filled
from .control import within
from .lowerer import Lowerer, is_unsigned, lowers
from .rules import fold_axes, result_element


@dataclass(frozen=True)
class _Box:
    """The least and the largest coordinates of a box, y before x, and its area; or tensors of those of all boxes."""

    low: Sequence[SSAValue]
    high: Sequence[SSAValue]
    area: SSAValue

    def take(self, code: Code, at: Sequence[SSAValue]) -> _Box:
        """Append the box at a point of tensors of all boxes."""
        low = [code.take(coordinate, at) for coordinate in self.low]
        high = [code.take(coordinate, at) for coordinate in self.high]
        return _Box(low, high, code.take(self.area, at))


def _zeros(lower: Lowerer, op: OnnxOp, index: int) -> SSAValue:
    """Append zeros in the shape of a result."""
    return filled(lower, shape_of(op.results[index]), 0, result_element(op, index))


def _counted(lower: Lowerer, count: SSAValue) -> SSAValue:
    """Append a scalar tensor that holds an index."""
    code = Code.after(lower)
    return code.put(code.from_index(count, i64), lower.empty((), i64), [])


def _one_if(code: Code, condition: SSAValue) -> SSAValue:
    return code.select(condition, code.value(1), code.value(0))


@lowers("BoundedNonZero")
def _non_zero(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, shape = lower[op.operands[0]], shape_of(op.operands[0])
    if 0 in shape:
        return [lower.empty(shape_of(op.results[0]), i64), _counted(lower, Code.after(lower).value(0))]

    def turn(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        indices, count = carried
        holds = code.compare(code.take(x, point), "ne", 0)
        # The entry after the last one is there as long as elements are left; it is zero until one is found.
        for axis, index in enumerate(point):
            entry = code.select(holds, index, code.value(0))
            indices = code.put(code.from_index(entry, i64), indices, [code.value(axis), count])
        return indices, code.add(count, _one_if(code, holds))

    starts = [_zeros(lower, op, 0), Code.after(lower).value(0)]
    indices, count = Code.after(lower).nest(shape, starts, turn)
    return [indices, _counted(lower, count)]


# NonMaxSuppression


@lowers("BoundedNonMaxSuppression")
def _non_max_suppression(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    extent = shape_of(op.operands[1])[2]
    if extent == 0:
        return [_zeros(lower, op, 0), _counted(lower, Code.after(lower).value(0))]
    return _Suppression(lower, op).build()


class _Suppression:
    """A NonMaxSuppression on its way to loops over classes and selections, in which kernels go through the boxes."""

    def __init__(self, lower: Lowerer, op: OnnxOp):
        self.lower, self.op = lower, op
        self.boxes, self.scores, self.iou, self.least = (lower[value] for value in op.operands)
        self.batches, self.classes, self.extent = shape_of(op.operands[1])
        self.is_centre, self.has_score = bool(op.attribute("center_point_box")), bool(op.attribute("has_score"))
        self.all_boxes = self._all_boxes()

    def build(self) -> Sequence[SSAValue]:
        """Append the loops and return the results."""
        starts = [_zeros(self.lower, self.op, 0), Code.after(self.lower).value(0)]
        counts = [self.batches, self.classes]
        selected, count = Code.after(self.lower).nest(counts, starts, self._one_class)
        return [selected, _counted(self.lower, count)]

    def _one_class(self, code: Code, at: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        inner, shape = within(self.lower, code.block), [self.extent]
        least = code.take(self.least, [code.value(0)])

        def element(code: Code) -> SSAValue:
            return code.take(self.scores, [*at, code.index(0)])

        def counts(code: Code, score: SSAValue) -> SSAValue:
            # What is no number is not above any, and beaten by none.
            return code.compare(score, "sgt", least) if self.has_score else code.compare(score, "eq", score)

        row = computed(inner, [], [], shape, f32, element)
        left = computed(inner, [row], [AffineMap.identity(1)], shape, i1, counts)

        def select(code: Code, _: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            # Once no box is left, nothing is done any more.
            turns = code.select(values[3], code.value(1), code.value(0))
            return code.iterate(turns, values, lambda inner, _, own: self._selected(inner, at, row, own))

        return code.iterate(int(self.op.attribute("most")), [*carried, left, code.constant(1, i1)], select)[:2]

    def _selected(
        self, code: Code, at: Sequence[SSAValue], row: SSAValue, carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Append the selection of the best remaining box, and the removal of the boxes that overlap it."""
        selected, number, left, _ = carried
        inner = within(self.lower, code.block)
        best = self._best(inner, row, left)
        is_found = code.compare(best, "slt", self.extent)
        place = code.as_index(code.min(best, self.extent - 1))
        for column, index in enumerate((*at, place)):
            entry = code.select(is_found, index, code.value(0))
            selected = code.put(code.from_index(entry, i64), selected, [number, code.value(column)])
        chosen, limit = self.all_boxes.take(code, [at[0], place]), code.take(self.iou, [code.value(0)])

        def stays(code: Code, is_left: SSAValue) -> SSAValue:
            box = code.index(0)
            gone = _overlaps(code, chosen, self.all_boxes.take(code, [at[0], box]), limit)
            gone = code.either(gone, code.compare(box, "eq", place))
            return code.select(gone, code.constant(0, i1), is_left)

        left = computed(inner, [left], [AffineMap.identity(1)], [self.extent], i1, stays)
        return selected, code.add(number, _one_if(code, is_found)), left, is_found

    def _best(self, lower: Lowerer, row: SSAValue, left: SSAValue) -> SSAValue:
        """Append the index of the first remaining box of the highest score; `extent` where none remains."""

        def score(body: Body, is_left: SSAValue, score: SSAValue, best: SSAValue) -> SSAValue:
            return body.max(best, body.select(is_left, score, body.constant(-inf, f32)))

        def place(code: Code, is_left: SSAValue, score: SSAValue, best: SSAValue) -> SSAValue:
            is_best = code.both(is_left, code.compare(score, "eq", best))
            return code.select(is_best, code.from_index(code.index(0), i64), code.constant(self.extent, i64))

        def earlier(body: Body, place: SSAValue, first: SSAValue) -> SSAValue:
            return body.min(first, place)

        same, only = AffineMap.identity(1), AffineMap(1, 0, (AffineExpr.constant(0),))
        best = fold_axes(lower, [left, row], [0], scalar_attr(-inf, f32), score)
        places = computed(lower, [left, row, best], [same, same, only], [self.extent], i64, place)
        first = fold_axes(lower, [places], [0], scalar_attr(self.extent, i64), earlier)
        code = Code.after(lower)
        return code.take(first, [code.value(0)])

    def _all_boxes(self) -> _Box:
        """Append tensors of the corners and areas of all boxes, which each selection reads."""

        def tensor(element: Callable[[Code], SSAValue]) -> SSAValue:
            return computed(self.lower, [], [], [self.batches, self.extent], f32, element)

        low = [tensor(partial(self._corner, axis, False)) for axis in range(2)]
        high = [tensor(partial(self._corner, axis, True)) for axis in range(2)]
        sides = [AffineMap.identity(2)] * 4

        def area(code: Code, top: SSAValue, left: SSAValue, bottom: SSAValue, right: SSAValue) -> SSAValue:
            return code.mul(code.sub(bottom, top), code.sub(right, left))

        return _Box(low, high, computed(self.lower, [*low, *high], sides, [self.batches, self.extent], f32, area))

    def _corner(self, axis: int, is_high: bool, code: Code) -> SSAValue:
        """Append the least or largest coordinate of the current box, stored as two corners or as centre and size."""
        box = code.index(0), code.index(1)
        first, second = (code.take(self.boxes, [*box, code.value(axis + offset)]) for offset in (0, 2))
        if self.is_centre:
            half = code.div(second, 2)
            return code.add(first, half) if is_high else code.sub(first, half)
        return code.max(first, second) if is_high else code.min(first, second)


def _overlaps(code: Code, first: _Box, second: _Box, limit: SSAValue) -> SSAValue:
    """Append whether the intersection of two boxes is more than that part of their union."""
    sides = [
        code.sub(code.min(first.high[axis], second.high[axis]), code.max(first.low[axis], second.low[axis]))
        for axis in range(2)
    ]
    common = code.mul(sides[0], sides[1])
    union = code.sub(code.add(first.area, second.area), common)
    positive = [code.compare(area, "sgt", 0) for area in (*sides, common, union, first.area, second.area)]
    return code.both(code.all_of(positive), code.compare(code.div(common, union), "sgt", limit))


# Unique


@lowers("BoundedUnique")
def _unique(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower to a comparison of each row with those before it, then to counting the rows that come first."""
    extent = shape_of(op.operands[0])[0]
    if extent == 0:
        return [*(_zeros(lower, op, index) for index in range(4)), _counted(lower, Code.after(lower).value(0))]
    return _Unique(lower, op).build()


class _Unique:
    """Builder of the loops of a Unique; a row is represented by the first equal one."""

    def __init__(self, lower: Lowerer, op: OnnxOp):
        self.lower, self.op = lower, op
        self.x = lower[op.operands[0]]
        self.extent, self.width = shape_of(op.operands[0])
        self.unsigned = is_unsigned(op.operands[0])
        code = Code.after(lower)
        self.rows = code.limited(code.take(lower[op.operands[1]], []), 0, self.extent)

    def build(self) -> Sequence[SSAValue]:
        """Build it and return its results."""
        lower, op = self.lower, self.op
        code = Code.after(lower)
        (first,) = code.iterate(self.rows, [_zeros(lower, op, 2)], self._first)
        starts = [*(_zeros(lower, op, index) for index in (0, 1)), _zeros(lower, op, 2), code.value(0)]
        y, indices, places, count = code.iterate(
            self.rows, starts, lambda inner, row, values: self._placed(inner, row, values, first)
        )

        def tell(code: Code, row: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            inverse, counts = values
            source = code.as_index(code.take(first, [row]))
            place = code.take(places, [source])
            at = [code.as_index(place)]
            return code.put(place, inverse, [row]), code.put(code.add(code.take(counts, at), 1), counts, at)

        inverse, counts = code.iterate(self.rows, [_zeros(lower, op, 2), _zeros(lower, op, 3)], tell)
        return [y, indices, inverse, counts, _counted(lower, count)]

    def _order(self, code: Code, a: SSAValue, b: SSAValue) -> SSAValue:
        """Append the lexicographic comparison of a row with another: -1, 0 or 1."""

        def step(code: Code, column: SSAValue, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            x, y = (code.take(self.x, [row, column]) for row in (a, b))
            less = code.compare(x, "slt", y, unsigned=self.unsigned)
            same = code.compare(x, "eq", y)
            here = code.select(same, code.value(0), code.select(less, code.value(-1), code.value(1)))
            return [code.select(code.compare(state[0], "eq", 0), here, state[0])]

        return code.iterate(self.width, [code.value(0)], step)[0]

    def _first(self, code: Code, row: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        def look(code: Code, other: SSAValue, first: Sequence[SSAValue]) -> Sequence[SSAValue]:
            same = code.both(code.compare(first[0], "eq", row), code.compare(self._order(code, row, other), "eq", 0))
            return [code.select(same, other, first[0])]

        (first,) = code.iterate(row, [row], look)
        return [code.put(code.from_index(first, i64), values[0], [row])]

    def _placed(self, code: Code, row: SSAValue, values: Sequence[SSAValue], first: SSAValue) -> Sequence[SSAValue]:
        """Append a row to the result where it is the first of equal ones, in sorted order where asked."""
        y, indices, places, count = values
        is_first = self._is_first(code, row, first)

        def before(code: Code, other: SSAValue, number: Sequence[SSAValue]) -> Sequence[SSAValue]:
            comes = code.compare(self._order(code, other, row), "slt", 0)
            return [code.add(number[0], _one_if(code, code.both(comes, self._is_first(code, other, first))))]

        place = count
        if self.op.attribute("sorted"):
            others = code.select(is_first, self.rows, code.value(0))
            (place,) = code.iterate(others, [code.value(0)], before)
        place = code.min(place, self.extent - 1)

        def copy(code: Code, column: SSAValue, result: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [code.put(code.take(self.x, [row, column]), result[0], [place, column])]

        (y,) = code.iterate(code.select(is_first, code.value(self.width), code.value(0)), [y], copy)
        at = code.select(is_first, code.from_index(row, i64), code.take(indices, [place]))
        indices = code.put(at, indices, [place])
        places = code.put(code.from_index(place, i64), places, [row])
        return y, indices, places, code.add(count, _one_if(code, is_first))

    def _is_first(self, code: Code, row: SSAValue, first: SSAValue) -> SSAValue:
        return code.compare(code.as_index(code.take(first, [row])), "eq", row)
