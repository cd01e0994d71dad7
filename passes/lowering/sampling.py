"""Lowerings of GridSample and AffineGrid: pictures read at places that are computed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .code import INDEX, Code, computed
from .lowerer import Lowerer, lowers, unsupported
from .rules import result_element

_CUBIC = -0.75
"""The parameter of cubic convolution that ONNX prescribes for GridSample."""


def bounded(code: Code, x: SSAValue, low: float, high: float) -> SSAValue:
    """Append a float clamped to limits; NaN becomes `low`."""
    x = code.select(code.compare(x, "sge", low), x, code.constant(low, x.type))
    return code.select(code.compare(x, "sle", high), x, code.constant(high, x.type))


def floored(code: Code, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Append the greatest integer that is not above a float, as a float and as an index."""
    whole = code.op(math.FloorOp(x))
    return whole, code.op(arith.IndexCastOp(code.op(arith.FPToSIOp(whole, i64)), INDEX))


def _floating(op: OnnxOp) -> Attribute:
    return f64 if result_element(op) == f64 else f32


class _SampledAxis:
    """Sampling of one axis of a picture: places of a grid from -1 to 1, and the padding mode."""

    def __init__(self, extent: int, padding: str, *, align_corners: bool):
        self.extent, self.padding = extent, padding
        self.align_corners = align_corners
        self.low = 0.0 if align_corners else -0.5
        self.high = extent - 1.0 if align_corners else extent - 0.5

    def place(self, code: Code, x: SSAValue, *, nearest: bool) -> SSAValue:
        """Append the place of a number of the grid among the elements."""
        ahead = code.add(x, 1)
        if self.align_corners:
            place = code.mul(ahead, (self.extent - 1) / 2)
        else:
            place = code.mul(code.sub(code.mul(ahead, self.extent), 1), 0.5)
        if nearest:
            place = code.op(math.RoundEvenOp(place))
        if self.padding == "zeros":
            # Further out there are zeros, too.
            return bounded(code, place, -4, self.extent + 3)
        if self.padding == "border":
            return self._at_border(code, place)
        return self.reflected(code, bounded(code, place, -(2.0**20), 2.0**20))

    def _at_border(self, code: Code, place: SSAValue) -> SSAValue:
        """Append a coordinate clamped to the border."""
        below, above = code.compare(place, "sge", self.low), code.compare(place, "sle", self.high)
        inner = code.select(below, place, code.constant(0, place.type))
        return bounded(code, code.select(above, inner, code.constant(self.extent - 1, place.type)), -1, self.extent)

    def reflected(self, code: Code, place: SSAValue) -> SSAValue:
        """Append a coordinate reflected at the borders until it is inside."""
        span = self.high - self.low
        if span == 0:
            return code.constant(self.low, place.type)
        far = code.op(math.AbsFOp(code.sub(place, self.low)))
        turns = code.op(math.FloorOp(code.div(far, 2 * span)))
        rest = code.sub(far, code.mul(turns, 2 * span))
        back = code.sub(code.constant(2 * span, place.type), rest)
        return code.add(code.select(code.compare(rest, "sgt", span), back, rest), self.low)

    def element(self, code: Code, index: SSAValue) -> tuple[SSAValue, SSAValue | None]:
        """Append an element's index, clipped or reflected into the image, and for zero padding whether it is inside."""
        near = code.clip(index, 0, self.extent - 1)
        if self.padding == "zeros":
            return near, code.is_inside(index, self.extent)
        if self.padding == "border":
            return near, None
        real = self.reflected(code, code.convert(code.op(arith.IndexCastOp(index, i64)), f32))
        whole = code.op(arith.IndexCastOp(code.op(arith.FPToSIOp(real, i64)), INDEX))
        return code.clip(whole, 0, self.extent - 1), None


def _taps(code: Code, place: SSAValue, mode: str) -> list[tuple[SSAValue, SSAValue | None]]:
    """Append the elements around a coordinate with their weights; a single element has the weight None."""
    whole, index = floored(code, place)
    if mode == "nearest":
        return [(index, None)]
    x = code.sub(place, whole)
    rest = code.sub(code.constant(1, x.type), x)
    if mode == "linear":
        return [(index, rest), (code.add(index, 1), x)]
    weights = [_outer(code, code.add(x, 1)), _inner(code, x), _inner(code, rest), _outer(code, code.add(rest, 1))]
    return [(code.add(index, k - 1), weight) for k, weight in enumerate(weights)]


def _inner(code: Code, x: SSAValue) -> SSAValue:
    """Append the weight of cubic convolution for a distance below 1."""
    return code.add(code.mul(code.mul(code.sub(code.mul(x, _CUBIC + 2), _CUBIC + 3), x), x), 1)


def _outer(code: Code, x: SSAValue) -> SSAValue:
    """Append the weight of cubic convolution for a distance from 1 to 2."""
    steep = code.add(code.mul(code.sub(code.mul(x, _CUBIC), 5 * _CUBIC), x), 8 * _CUBIC)
    return code.sub(code.mul(steep, x), 4 * _CUBIC)


@lowers("GridSample")
def _grid_sample(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, grid = lower[op.operands[0]], lower[op.operands[1]]
    result, compute, element = shape_of(op.results[0]), _floating(op), result_element(op)
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(op.attribute("mode"), op.attribute("mode"))
    padding, aligned = op.attribute("padding_mode"), bool(op.attribute("align_corners"))
    if mode not in ("nearest", "linear", "cubic"):
        raise unsupported(op, f"in mode '{mode}'")
    axes = [_SampledAxis(extent, padding, align_corners=aligned) for extent in shape_of(x)[2:]]
    rank, dims = len(result), AffineMap.identity(len(result)).results
    # The grid names the last axis first.
    maps = [
        AffineMap(rank, 0, (dims[0], *dims[2:], AffineExpr.constant(len(axes) - 1 - axis))) for axis in range(len(axes))
    ]

    def build(code: Code, *elements: SSAValue) -> SSAValue:
        places = [
            axis.place(code, code.convert(number, compute), nearest=mode == "nearest")
            for axis, number in zip(axes, elements, strict=True)
        ]
        taps: list[list[_Tap]] = []
        for axis, place in zip(axes, places, strict=True):
            taps.append([(axis.element(code, index), weight) for index, weight in _taps(code, place, mode)])
        total: SSAValue | None = None
        for choice in product(*taps):
            term = _term(code, x, choice, compute)
            total = term if total is None else code.add(total, term)
        assert total is not None
        return code.convert(total, element)

    return [computed(lower, [grid] * len(axes), maps, result, element, build)]


_Tap = tuple[tuple[SSAValue, "SSAValue | None"], "SSAValue | None"]


def _term(code: Code, x: SSAValue, choice: Sequence[_Tap], compute: Attribute) -> SSAValue:
    """Append one element of an image times its weights, 0 outside of the image."""
    value = code.take(x, [code.index(0), code.index(1), *(place for (place, _), _ in choice)])
    value = code.convert(value, compute)
    conditions = [condition for (_, condition), _ in choice if condition is not None]
    if conditions:
        value = code.select(code.all_of(conditions), value, code.constant(0, compute))
    for _, weight in choice:
        value = value if weight is None else code.mul(value, weight)
    return value


@lowers("AffineGrid")
def _affine_grid(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    theta, result = lower[op.operands[0]], shape_of(op.results[0])
    rank, axes, element = len(result), result[-1], result_element(op)
    aligned = bool(op.attribute("align_corners"))
    dims = AffineMap.identity(rank).results
    maps = [AffineMap(rank, 0, (dims[0], dims[-1], AffineExpr.constant(k))) for k in range(axes + 1)]

    def place(code: Code, axis: int) -> SSAValue:
        """Append the place of the point along an axis, from -1 to 1."""
        count = result[1 + axis]
        index = code.from_index(code.index(1 + axis), i64)
        here = code.convert(index, element)
        if aligned:
            return code.add(code.mul(here, 2 / max(count - 1, 1)), -1)
        return code.add(code.mul(code.add(code.mul(here, 2), 1), 1 / count), -1)

    def build(code: Code, *factors: SSAValue) -> SSAValue:
        total = factors[-1]
        for k, factor in enumerate(factors[:-1]):
            total = code.add(total, code.mul(factor, place(code, axes - 1 - k)))
        return total

    return [computed(lower, [theta] * (axes + 1), maps, result, element, build)]


def kind_of(value: SSAValue) -> Attribute:
    """Return the element type in which floats of a tensor are computed."""
    return f64 if element_of(value) == f64 else f32
