"""The lowering of ITAPartialMax: a softmax whose row comes in groups, each of which may raise the maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import lowest, scalar_attr
from ...dialects.nn import ReduceOp, ints
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .lowerer import Lowerer, is_unsigned, lowers, unsupported
from .rules import compute_type, fold, result_element, unsigned_positions


def _shift(body: Body, largest: SSAValue, x: SSAValue) -> SSAValue:
    """Append (largest - x + 16) >> 5, limited so that a wide type can be shifted by it."""
    return body.min(body.shift_right(body.add(body.sub(largest, x), 16), 5), 31)


def _fold(
    lower: Lowerer,
    inputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    shape: Sequence[int],
    initial: Any,
    block: Block,
) -> SSAValue:
    """Append the fold of the dimensions of `maps` that the output lacks; it has the first ones as its axes."""
    rank = maps[0].num_dims
    output = AffineMap(rank, 0, AffineMap.identity(rank).results[: len(shape)])
    return fold(lower, inputs, maps, output, shape, initial, block)


def _running_maximum(lower: Lowerer, groups: SSAValue, *, before: bool) -> SSAValue:
    """Append the largest maximum up to each group; `before` leaves the group itself out, the first aside."""
    shape, element = shape_of(groups), element_of(groups)
    rank = len(shape)
    dims = AffineMap.identity(rank + 1).results
    body = Body([element, element])
    value, largest = body.args
    here = body.op(linalg.IndexOp(rank - 1))
    other = body.op(linalg.IndexOp(rank))
    one = body.op(arith.ConstantOp(scalar_attr(1, IndexType())))
    limit = body.op(arith.MaxSIOp(here, one)) if before else body.op(arith.AddiOp(here, one))
    seen = body.select(body.op(arith.CmpiOp(other, limit, "slt")), value, largest)
    block = body.finish(body.max(largest, seen))
    source = AffineMap(rank + 1, 0, (*dims[: rank - 1], dims[rank]))
    return _fold(lower, [groups], [source], shape, lowest(element), block)


def _group_sums(lower: Lowerer, x: SSAValue, largest: SSAValue, *, unsigned: bool) -> SSAValue:
    """Append each group's sum of 256 >> shift, relative to the maximum up to it."""
    rank, compute = len(shape_of(x)), element_of(largest)
    dims = AffineMap.identity(rank).results
    body = Body([element_of(x), compute, compute])
    value, top, total = body.args
    power = body.shift_right(
        body.constant(256, compute), _shift(body, top, body.convert(value, compute, unsigned=unsigned))
    )
    block = body.finish(body.add(total, power))
    maps = [AffineMap.identity(rank), AffineMap(rank, 0, dims[:-1])]
    return _fold(lower, [x, largest], maps, shape_of(largest), scalar_attr(0, compute), block)


def _streamed_sum(lower: Lowerer, sums: SSAValue, largest: SSAValue, before: SSAValue) -> SSAValue:
    """Append the sum over the groups in order, scaled down whenever the maximum rises."""
    shape, compute = shape_of(sums), element_of(sums)
    body = Body([compute, compute, compute, compute])
    here, top, previous, total = body.args
    scaled = body.shift_right(total, _shift(body, top, previous))
    block = body.finish(body.add(scaled, here))
    maps = [AffineMap.identity(len(shape))] * 3
    return _fold(lower, [sums, largest, before], maps, shape[:-1], scalar_attr(0, compute), block)


def _largest(lower: Lowerer, x: SSAValue, compute: Attribute, *, unsigned: Sequence[int] = ()) -> SSAValue:
    """Append the maximum along the last axis."""
    shape = shape_of(x)
    properties: dict[str, Attribute | None] = {
        "kind": StringAttr("max"),
        "axes": ints([len(shape) - 1]),
        "accumulator": compute,
    }
    return lower.op(ReduceOp([x], lower.empty(shape[:-1], compute), properties, unsigned=unsigned))


@lowers("ITAPartialMax")
def _ita_partial_max(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, width = op.operands[0], int(op.attribute("group_width"))
    *rows, length = shape_of(x)
    if length % width:
        raise unsupported(op, f"of rows of {length} in groups of {width}", "choose a group_width that divides the row")
    compute, element, value = compute_type(op), result_element(op), lower[x]
    unsigned = is_unsigned(x)
    grouped = lower.reshape(value, [*rows, length // width, width])
    maxima = _largest(lower, grouped, compute, unsigned=unsigned_positions([x]))
    upto, before = (_running_maximum(lower, maxima, before=flag) for flag in (False, True))
    sums = _group_sums(lower, grouped, upto, unsigned=unsigned)
    total, top = _streamed_sum(lower, sums, upto, before), _largest(lower, maxima, compute)

    body = Body([element_of(value), compute, compute, element])
    number, summed, largest, _ = body.args
    inverse = body.div(body.constant((int(op.attribute("n_levels")) // 2 - 1) * 256, compute), summed)
    share = body.shift_right(inverse, _shift(body, largest, body.convert(number, compute, unsigned=unsigned)))
    block = body.finish(body.convert(share, element))
    row = AffineMap(len(rows) + 1, 0, AffineMap.identity(len(rows) + 1).results[:-1])
    maps = [AffineMap.identity(len(rows) + 1), row, row]
    return [lower.generic([value, total, top], maps, shape_of(x), element, block)]
