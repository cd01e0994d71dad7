"""Transfers between DRAM and the array's memories as loads and stores of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import FloatAttr, MemRefType, StridedLayoutAttr, UnknownLoc, f32
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.core.analysis.constants import constant_elements, constant_integer
from ...dialects.core.builder import Builder
from ...dialects.core.effects import root_of
from ...dialects.core.scalars import Index
from ...dialects.hier.sharded import level_name
from ...dialects.hier.transfers import DmaStartOp
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from ...passes.loops.copier import Range, fill_outside
from ...passes.loops.nest import Constants, Nest
from ...passes.memory.views import layout_of
from .bodies import gelu_of, mvout_fault, scales_of
from .channel_stores import ChannelStores
from .dialects.gemmini.instructions import (
    config_gelu,
    config_ld,
    config_st,
    mvin,
    mvin_acc,
    mvin_acc_zero,
    mvin_blocks,
    mvin_columns,
    mvin_zero,
    mvout,
    mvout_full,
)
from .limits import REQUEST_BYTES, SUMS
from .rows import BufferRows, chunks, each_row, rows_of, zero_rows

_OF_SPAD, _OF_WEIGHTS, _OF_ACC = 0, 1, 2
"""Configurations of loads, by the operand of a product that they bring: each keeps its own over all tiles."""


def load_tile(builder: Builder, op: DmaStartOp, bounds: Sequence[Range]) -> Sequence[SSAValue]:
    """Append the loads of a tile, the part in bounds; the body of a copy function."""
    far, near, *offsets = builder.block.args
    if op.body is not None:
        raise _refused(op, "a body")
    rows, is_spad, element = rows_of(near), _is_spad(near), str(element_of(near))
    if element not in (SUMS if is_spad else SUMS.values()):
        raise _refused(op, f"elements of {element} to {level_name(near.type)}")
    if rows.axis in op.repeated:
        raise _refused(op, "an element repeated along a row")
    size = numpy_type(element_of(near)).itemsize
    view = _arranged(builder, op, far, rows)
    repeats = rows.others[rows.line] in op.repeated
    nest = Nest(constants := Constants(), op.location)
    stride = None if repeats else (len(offsets) - 2, 1)
    own = _OF_ACC if not is_spad else _OF_WEIGHTS if _is_constant(op.far) else _OF_SPAD
    nest.insert(config_ld(view, stride=stride, block=rows.count, size=size, id=own))
    low, high = bounds[rows.axis]

    def load(first: Index, count: Index, *, blocks: Index) -> None:
        def row(at: Sequence[Index], number: Index) -> None:
            there = _far_indices(nest, op, rows, offsets, at, nest.mul(first, rows.dim))
            here = [nest.value(index) for index in (first, *at, 0)]
            source, target, lines = (view, there), (near, here), nest.value(number)
            if not is_spad:
                nest.insert(mvin_acc(source, target, lines, nest.value(count), repeats, own))
            elif isinstance(blocks, int) and blocks > 1:
                nest.insert(mvin_blocks(source, target, lines, blocks, own))
            else:
                nest.insert(mvin(source, target, lines, nest.value(count), own))

        each_row(nest, [bounds[axis] for axis in rows.others], rows.line, rows.dim, row)

    def load_end(first: Index, count: int) -> None:
        """Emit the loads of less columns than one load has at most, in one each."""
        whole, rest = divmod(count, rows.dim)
        if not whole or not rest:
            load(first, rest or rows.dim, blocks=max(whole, 1))
            return

        def row(at: Sequence[Index], number: Index) -> None:
            there = _far_indices(nest, op, rows, offsets, at, nest.mul(first, rows.dim))
            begin = [nest.value(index) for index in (first, *at, 0)]
            end = [nest.value(index) for index in (nest.add(first, whole), *at, 0)]
            nest.insert(mvin_columns((view, there), (near, begin), (near, end), nest.value(number), whole, rest, own))

        each_row(nest, [bounds[axis] for axis in rows.others], rows.line, rows.dim, row)

    most = REQUEST_BYTES // (rows.dim * size)
    if is_spad and isinstance(high, int) and low == 0:
        groups, rest = divmod(high, most * rows.dim)
        chunks(nest, 0, groups * most, most, lambda first, number: load(first, rows.dim, blocks=number))
        if rest:
            load_end(groups * most, rest)
    elif is_spad and low == 0:
        # All tiles but the last one are whole: groups of blocks are such that these take the fewest loads.
        blocks = -(-shape_of(near)[rows.axis] // rows.dim)
        most = min(range(most, 0, -1), key=lambda count: blocks // count + blocks % count)
        groups = nest.div(high, most * rows.dim)
        with nest.loop("b", 0, groups) as group:
            load(nest.mul(group, most), rows.dim, blocks=most)
        begin, end = nest.mul(groups, most), shape_of(far)[rows.axis] % (most * rows.dim)
        if end > rows.dim:
            # All tiles but the last one along the axis end with whole loads, if these divide them.
            is_end = nest.compare(nest.sub(high, nest.mul(begin, rows.dim)), "eq", end)
            ends = nest.select(is_end, nest.value(1), nest.value(0))
            with nest.loop("e", 0, ends):
                load_end(begin, end)
            begin = nest.add(begin, nest.mul(ends, -(-end // rows.dim)))
        _each_block(nest, high, rows.dim, partial(load, blocks=1), start=begin)
    else:
        _each_block(nest, high, rows.dim, partial(load, blocks=1))
    _append(builder.block, nest, constants)
    return ()


def store_tile(
    element: str, lines: int, builder: Builder, op: DmaStartOp, bounds: Sequence[Range]
) -> Sequence[SSAValue]:
    """
    Append the stores of a tile, the part in bounds, as sums or as elements; the body of a copy function.

    One that needs several passes stores so many lines of rows at once, rows of one line where that is 0.
    """
    far, near, *offsets = builder.block.args
    rows = rows_of(near)
    if _is_spad(near):
        raise _refused(op, f"elements of {element_of(near)} out of {level_name(near.type)}")
    is_full, size = str(element_of(far)) != element, numpy_type(element_of(far)).itemsize
    gelu = gelu_of(op.body)
    if op.body is not None and gelu is None and (fault := mvout_fault(op.body, rows.dim)):
        raise _refused(op, f"a body on its way out: {fault}")
    scales, relu = scales_of(op.body.block if op.body is not None else None, rows.dim)
    begin = constant_integer(op.offsets[rows.axis]) or 0
    if len(scales.values) > 1 and (rows.axis != len(offsets) - 1 or begin % rows.dim):
        raise _refused(op, "scales of other blocks than those of the tile")
    view = _arranged(builder, op, far, rows)
    nest = Nest(constants := Constants(), op.location)
    stride = len(offsets) - 2, 1
    if gelu is not None:
        factor = nest.attribute(FloatAttr(gelu.scale, f32))
        nest.insert(config_gelu(view, scale=factor, stride=stride, qb=gelu.qb, qc=gelu.qc))
    elif len(scales.values) == 1:
        factor = nest.attribute(FloatAttr(float(scales.values[0]), f32))
        nest.insert(config_st(view, size=size, scale=factor, stride=stride, relu=relu))
    store = mvout_full if is_full else mvout

    others = [bounds[axis] for axis in rows.others]

    def far_at(at: Sequence[Index], column: Index) -> list[SSAValue]:
        return _far_indices(nest, op, rows, offsets, at, column)

    def columns(first: Index, count: Index) -> None:
        column = nest.mul(first, rows.dim)
        if len(scales.values) > 1:
            stores = ChannelStores(nest, near, view, rows, others, far_at, scales, relu, lines)
            stores.block(first, nest.add(offsets[rows.axis], column), count)
            return

        def row(at: Sequence[Index], number: Index) -> None:
            here = [nest.value(index) for index in (first, *at, 0)]
            nest.insert(store((near, here), (view, far_at(at, column)), nest.value(number), nest.value(count)))

        each_row(nest, others, rows.line, rows.dim, row)

    _each_block(nest, bounds[rows.axis][1], rows.dim, columns)
    _append(builder.block, nest, constants)
    return ()


def zero_tile(builder: Builder, near: SSAValue, bounds: Sequence[Range], fill: Any) -> None:
    """Append the fill with 0 of the rows of a tile that are out of bounds, whole ones."""
    if fill.value.data != 0:
        raise Diagnostic(
            "loads of Gemmini fill with 0 only",
            expected="a tile whose padding is 0",
            found=str(fill),
            remedy="pad in a kernel before",
        )

    def fill_rows(box: Sequence[Range], _: int) -> None:
        nest = Nest(constants := Constants(), UnknownLoc())
        zero_rows(nest, near, mvin_zero if _is_spad(near) else mvin_acc_zero, box)
        _append(builder.block, nest, constants)

    fill_outside(builder, near, bounds, fill_rows)


def _append(block: Block, nest: Nest, constants: Constants) -> None:
    ops = nest.take()
    used = Block(ops)
    constants.place(used)
    for op in list(used.ops):
        op.detach()
        block.add_op(op)


def _is_constant(far: SSAValue) -> bool:
    """Return whether a buffer is a constant global, as weights are."""
    return constant_elements(root_of(far)) is not None


def _is_spad(near: SSAValue) -> bool:
    """Return whether a near buffer is in the scratchpad, not in the accumulators."""
    return level_name(near.type) == "SPAD"


def _each_block(nest: Nest, high: Index, dim: int, visit: Callable[[Index, Index], None], *, start: Index = 0) -> None:
    """Emit a loop over the blocks of an axis from `start`: `visit` takes a block, and its columns in bounds."""
    if isinstance(high, int):
        whole, rest = divmod(high, dim)
        if whole:
            with nest.loop("b", 0, whole) as first:
                visit(first, dim)
        if rest:
            visit(whole, rest)
        return
    with nest.loop("b", start, nest.div(nest.add(high, dim - 1), dim)) as first:
        visit(first, nest.min(nest.sub(high, nest.mul(first, dim)), dim))


def _far_indices(
    nest: Nest, op: DmaStartOp, rows: BufferRows, offsets: Sequence[SSAValue], at: Sequence[Index], column: Index
) -> list[SSAValue]:
    """Return the indices of a row's first element in the far buffer, its axes in the order of the rows."""
    indices = dict(zip((*rows.others, rows.axis), (*at, column), strict=True))
    far_indices: list[SSAValue] = []
    for axis in rows.order:
        index = indices[axis]
        moves = axis not in op.repeated
        far_indices.append(nest.value(nest.add(offsets[axis], index) if moves else offsets[axis]))
    return far_indices


def _arranged(builder: Builder, op: DmaStartOp, far: SSAValue, rows: BufferRows) -> SSAValue:
    """Return a view of a far buffer whose last axes are those of rows and columns."""
    strides, offset = layout_of(far)
    shape = shape_of(far)
    if shape[rows.axis] > 1 and strides[rows.axis] != 1:
        raise Diagnostic(
            "the rows of a far buffer are not contiguous",
            where=where(op),
            expected=f"axis {rows.axis}, which is in blocks in the near buffer, innermost in the far one",
            found=str(far.type),
            remedy="run permute-operands before plan-memory, or change the layout (convert-layout)",
        )
    if list(rows.order) == sorted(rows.order):
        return far
    sizes = [shape[axis] for axis in rows.order]
    steps = [strides[axis] for axis in rows.order]
    old = cast("MemRefType[Any]", far.type)
    kind = MemRefType(old.element_type, sizes, StridedLayoutAttr(steps, offset), old.memory_space)
    return builder.op(memref.ReinterpretCastOp.from_dynamic(far, [offset], sizes, steps, kind))


def _refused(op: Operation, feature: str) -> Diagnostic:
    return Diagnostic(
        "a transfer is no load or store of Gemmini",
        where=where(op),
        expected="loads as they are; stores of sums as they are, or by one quant.rescale, rounding or GELU",
        found=feature,
        remedy="let the core do it: run unfuse-epilogues before plan-memory",
    )
