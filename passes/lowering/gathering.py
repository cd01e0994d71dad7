"""Lowerings of operators that look elements up at indices of the run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...dialects.quant import ENTRIES, LookupOp
from ...errors import Diagnostic
from ...ir import DenseAttr, dense, element_of, integer_width, shape_of, where
from .code import Code, computed
from .indexed import gather_rows, known_range
from .lowerer import Lowerer, constant_of, is_unsigned, lowers
from .moves import picked
from .rules import pointwise, result_element

_ROWS = 4
"""The number of rows up to which they are copied one by one."""
_ENTRY_WIDTHS = (8, 16, 32)
"""The bits that an entry of a table for bytes may have."""


@lowers("Gather")
def _gather(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a selection along an axis: of known parts, of a few rows, or of elements looked up one by one."""
    data, indices = op.operands
    shape, result = shape_of(data), shape_of(op.results[0])
    axis = int(op.attribute("axis")) % len(shape)
    if 0 in result:
        return [lower.empty(result, result_element(op))]
    table = _table_of_bytes(op)
    if table is not None:
        return [_looked_up(lower, op, table)]
    extent, numbers = shape[axis], constant_of(indices)
    if numbers is not None:
        if any(not -extent <= int(i) < extent for i in numbers.flat):
            raise Diagnostic(f"an index is outside of axis {axis}, of extent {extent}", where=where(op))
        return [lower.reshape(picked(lower, lower[data], axis, [int(i) % extent for i in numbers.flat]), result)]
    interval = known_range(indices)
    if prod(shape_of(indices)) <= _ROWS and interval is not None and interval in Range(0, extent - 1):
        return [lower.reshape(gather_rows(lower, op), result)]
    count, rank = len(shape_of(indices)), len(result)
    dims = AffineMap.identity(rank).results

    def build(code: Code, index: SSAValue) -> SSAValue:
        place = code.within(index, extent, interval, unsigned=is_unsigned(indices))
        before, after = range(axis), range(axis + count, rank)
        return code.take(lower[data], [*map(code.index, before), place, *map(code.index, after)])

    at = AffineMap(rank, 0, dims[axis : axis + count])
    return [computed(lower, [lower[indices]], [at], result, element_of(lower[data]), build)]


def _looked_up(lower: Lowerer, op: OnnxOp, table: DenseAttr) -> SSAValue:
    """Append the entries of a table at indices that are cast from bytes."""
    byte = lower[cast(OnnxOp, op.operands[1].owner).operands[0]]

    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.op(LookupOp(x, table))

    return pointwise(lower, [byte], shape_of(op.results[0]), result_element(op), build)


@mentions("Cast")
def _table_of_bytes(op: OnnxOp) -> DenseAttr | None:
    """Return the entries, from that of -128 on, of a Gather that looks bytes up in a constant; None for others."""
    data, index = op.operands
    entries, source = constant_of(data), index.owner
    if entries is None or entries.shape != (ENTRIES,) or integer_width(element_of(data)) not in _ENTRY_WIDTHS:
        return None
    if (
        not isinstance(source, OnnxOp)
        or source.name != "onnx.Cast"
        or integer_width(element_of(source.operands[0])) != 8
    ):
        return None
    # A negative index counts from the end, and an unsigned byte from 128 on has the bits of a negative one.
    if integer_width(element_of(index)) not in (16, 32, 64):
        return None
    return dense(np.roll(entries, ENTRIES // 2).view(f"i{entries.itemsize}"), result_element(op))


@lowers("GatherElements")
def _gather_elements(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    data, indices = op.operands
    shape, result = shape_of(data), shape_of(op.results[0])
    axis, interval = int(op.attribute("axis")) % len(shape), known_range(indices)

    def build(code: Code, index: SSAValue) -> SSAValue:
        place = code.within(index, shape[axis], interval, unsigned=is_unsigned(indices))
        return code.take(lower[data], [place if i == axis else code.index(i) for i in range(len(shape))])

    identity = AffineMap.identity(len(shape))
    return [computed(lower, [lower[indices]], [identity], result, element_of(lower[data]), build)]


@lowers("GatherND")
def _gather_nd(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    data, indices = op.operands
    shape, result, batch = shape_of(data), shape_of(op.results[0]), int(op.attribute("batch_dims"))
    *places, depth = shape_of(indices)
    interval = known_range(indices)
    dims = AffineMap.identity(len(result)).results[: len(places)]
    maps = [AffineMap(len(result), 0, (*dims, AffineExpr.constant(k))) for k in range(depth)]

    def build(code: Code, *elements: SSAValue) -> SSAValue:
        positions = [
            code.within(index, shape[batch + k], interval, unsigned=is_unsigned(indices))
            for k, index in enumerate(elements)
        ]
        rest = range(len(places), len(result))
        return code.take(lower[data], [*map(code.index, range(batch)), *positions, *map(code.index, rest)])

    return [computed(lower, [lower[indices]] * depth, maps, result, element_of(lower[data]), build)]


@lowers("ReverseSequence")
def _reverse_sequence(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    data, lengths = op.operands
    shape = shape_of(data)
    time, batch = int(op.attribute("time_axis")), int(op.attribute("batch_axis"))
    dims = AffineMap.identity(len(shape)).results

    def build(code: Code, length: SSAValue) -> SSAValue:
        here, end = code.index(time), code.limited(length, 0, shape[time])
        mirrored = code.sub(code.sub(end, 1), here)
        place = code.select(code.compare(here, "slt", end), mirrored, here)
        return code.take(lower[data], [place if i == time else code.index(i) for i in range(len(shape))])

    at = AffineMap(len(shape), 0, (dims[batch],))
    return [computed(lower, [lower[lengths]], [at], shape, element_of(lower[data]), build)]


@lowers("OneHot")
def _one_hot(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    indices, _, values = op.operands
    result = shape_of(op.results[0])
    rank = len(result)
    axis = int(op.attribute("axis")) % rank
    depth, dims = result[axis], AffineMap.identity(rank).results
    ends = [AffineMap(rank, 0, (AffineExpr.constant(k),)) for k in range(2)]

    def build(code: Code, index: SSAValue, off: SSAValue, on: SSAValue) -> SSAValue:
        if is_float(index.type):
            limited = code.clip(index, -depth - 1, depth)
            index = code.op(arith.FPToSIOp(limited, i64))
        # An index outside of the axis stays outside.
        place = code.limited(index, -depth - 1, depth, unsigned=is_unsigned(indices))
        place = code.select(code.compare(place, "slt", 0), code.add(place, depth), place)
        return code.select(code.compare(place, "eq", code.index(axis)), on, off)

    at = AffineMap(rank, 0, (*dims[:axis], *dims[axis + 1 :]))
    inputs = [lower[indices], lower[values], lower[values]]
    return [computed(lower, inputs, [at, *ends], result, result_element(op), build)]
