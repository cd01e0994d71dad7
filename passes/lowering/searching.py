"""Lowerings of operators that search or add up along an axis: ArgMax, TopK, CumSum and their like."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.scalars import highest, lowest
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, shape_of
from .code import Code, converted, filled, folded
from .lowerer import Lowerer, is_unsigned, lowers
from .movement import fixed
from .moves import with_axis
from .rules import compute_type, result_element


def _worst(value: SSAValue, *, largest: bool) -> float:
    """Return the number of a tensor's type that every other one beats, or equals."""
    element = element_of(value)
    width = integer_width(element)
    if width is not None and is_unsigned(value):
        return 0 if largest else (1 << width) - 1
    return (lowest if largest else highest)(element).value.data


def best_index(lower: Lowerer, value: SSAValue, axis: int, *, largest: bool = True, last: bool = False) -> SSAValue:
    """Append, for a value of the graph level, where it is largest or smallest along an axis, as i64; axis kept."""
    x, shape, unsigned = lower[value], shape_of(value), is_unsigned(value)
    kept = with_axis(shape, axis, 1)
    dims = list(AffineMap.identity(len(shape)).results)
    dims[axis] = AffineExpr.constant(0)
    predicate = ("sge" if last else "sgt") if largest else ("sle" if last else "slt")
    starts = [
        filled(lower, kept, _worst(value, largest=largest), element_of(x)),
        filled(lower, kept, 0, i64),
    ]

    def build(code: Code, element: SSAValue, best: SSAValue, place: SSAValue) -> Sequence[SSAValue]:
        better = code.compare(element, predicate, best, unsigned=unsigned)
        here = code.from_index(code.index(axis), i64)
        return code.select(better, element, best), code.select(better, here, place)

    target = AffineMap(len(shape), 0, tuple(dims))
    return folded(lower, [x], [AffineMap.identity(len(shape))], shape, starts, target, build)[1]


@lowers("ArgMax", "ArgMin")
def _arg_extreme(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = op.operands[0]
    axis = int(op.attribute("axis")) % len(shape_of(x))
    last = bool("select_last_index" in op.SCHEMA.attributes and op.attribute("select_last_index"))
    place = best_index(lower, x, axis, largest=op.name == "onnx.ArgMax", last=last)
    return [lower.reshape(converted(lower, place, result_element(op)), shape_of(op.results[0]))]


@lowers("TopK")
def _top_k(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """
    Lower a search for the k best: each is the best of those that come after the one before in the order of values, and
    of indices where values are equal.
    """
    value, shape, unsigned = op.operands[0], shape_of(op.operands[0]), is_unsigned(op.operands[0])
    x, result = lower[value], shape_of(op.results[0])
    axis, largest = int(op.attribute("axis")) % len(shape), bool(op.attribute("largest"))
    beats, worst = ("sgt" if largest else "slt"), _worst(value, largest=largest)
    most = _worst(value, largest=not largest)
    outs = [lower.empty(result, element_of(x)), lower.empty(result, result_element(op, 1))]

    def row(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        before, k = point[:axis], point[-1]
        after = point[axis:-1]
        values, places, last, last_place = carried

        def search(code: Code, i: SSAValue, best: Sequence[SSAValue]) -> Sequence[SSAValue]:
            element = code.take(x, [*before, i, *after])
            later = code.both(code.compare(element, "eq", last), code.compare(i, "sgt", last_place))
            is_left = code.either(code.compare(last, beats, element, unsigned=unsigned), later)
            none_yet = code.compare(best[1], "slt", 0)
            better = code.either(none_yet, code.compare(element, beats, best[0], unsigned=unsigned))
            better = code.both(is_left, better)
            return code.select(better, element, best[0]), code.select(better, i, best[1])

        extreme, place = code.iterate(shape[axis], [code.constant(worst, element_of(x)), code.value(-1)], search)
        at = [*before, k, *after]
        # Where numbers that are none make an order impossible, the last index is taken again.
        place = code.clip(place, 0, shape[axis] - 1)
        values = code.put(extreme, values, at)
        places = code.put(code.from_index(place, result_element(op, 1)), places, at)
        return values, places, extreme, place

    others = [extent for i, extent in enumerate(shape) if i != axis]

    def line(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        starts = [*carried, code.constant(most, element_of(x)), code.value(-1)]
        return code.iterate(result[axis], starts, lambda code, k, values: row(code, [*point, k], values))[:2]

    return Code.after(lower).nest(others, outs, line)


@lowers("CumSum", "CumProd")
def _cumulative(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value, shape = op.operands[0], shape_of(op.operands[0])
    axes = fixed(op, 1, "axes")
    assert axes is not None
    axis = int(axes.reshape(-1)[0]) % len(shape)
    exclusive, reverse = bool(op.attribute("exclusive")), bool(op.attribute("reverse"))
    compute, element = compute_type(op), result_element(op)
    is_product = op.name == "onnx.CumProd"
    x, out = lower[value], lower.empty(shape, element)
    others = [extent for i, extent in enumerate(shape) if i != axis]

    def step(code: Code, point: Sequence[SSAValue], here: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        out, total = carried
        place = code.sub(code.value(shape[axis] - 1), here) if reverse else here
        at = [*point[:axis], place, *point[axis:]]
        term = code.convert(code.take(x, at), compute, unsigned=is_unsigned(value))
        new = (code.mul if is_product else code.add)(total, term)
        return code.put(code.convert(total if exclusive else new, element), out, at), new

    def line(code: Code, point: Sequence[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        starts = [*carried, code.constant(1 if is_product else 0, compute)]
        return code.iterate(shape[axis], starts, lambda code, i, values: step(code, point, i, values))[:1]

    return Code.after(lower, wraps=True).nest(others, [out], line)
