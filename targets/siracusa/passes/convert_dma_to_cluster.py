"""Lowering of transfers to a cluster's DMA engine, by rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, NoneAttr, StringAttr, UnitAttr, i8, i32
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects.core.builder import Builder
from ....dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ....dialects.core.nesting import nested_ops
from ....dialects.core.scalars import Index
from ....dialects.hier import DmaNoneOp, DmaStartOp, TokenType
from ....dialects.hier import DmaWaitOp as HierWaitOp
from ....dialects.hier.capabilities import needs_of, needs_of_body
from ....errors import Diagnostic
from ....ir import element_of, functions, shape_of, where
from ....passes.core.base import Pass
from ....passes.emitc.buffers import EXTERNAL
from ....passes.loops.copier import Copiers, Range, fill_outside, inside, over_box
from ..dialects.cluster import ClusterDmaWaitOp, DmaBeginOp, DmaInOp, DmaOutOp
from ..dialects.cluster.instructions import fill_row

_NO_GROUP = -1


def convert_dma_to_cluster(function: func.FuncOp, copiers: Copiers, external: str = "") -> None:
    """
    Replace each transfer by a call that starts it and returns its group, and each wait by one for a group.

    `external` names the external level, if any, whose transfers another engine executes.
    """
    ops = nested_ops(function)
    outside = {op for op in ops if external and type(op) is HierWaitOp and _leads_to(op.token, external)}
    carried: list[SSAValue] = []
    for op in ops:
        if type(op) is DmaStartOp:
            _refuse_transforms(op)
            is_external = _levels(op)[0] == external
            fill = _fill_rows if _has_byte_rows(op) else None
            call = copiers.call(function, op, [i32], partial(_start_rows, external=is_external), fill)
            Rewriter.replace_op(op, call)
        elif type(op) is HierWaitOp:
            wait = ClusterDmaWaitOp(op.token, external=op in outside)
            wait.location = op.location
            Rewriter.replace_op(op, wait)
        elif type(op) is DmaNoneOp:
            none = arith.ConstantOp(IntegerAttr(_NO_GROUP, i32))
            none.location = op.location
            Rewriter.replace_op(op, none)
        else:
            arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
            carried += [value for value in (*op.results, *arguments) if type(value.type) is TokenType]
    for token in carried:
        Rewriter.replace_value_with_new_type(token, i32)


def _refuse_transforms(op: DmaStartOp) -> None:
    """Raise Diagnostic for a transfer that transforms what it moves in another way than by a fill."""
    for need, reason in (needs_of_body(op.body) | needs_of(op)).items():
        if need != "fill":
            raise Diagnostic(
                f"the cluster's DMA engine cannot '{need}' what it moves",
                where=where(op),
                expected="transfers of bytes as they are, padding filled",
                found=reason,
                remedy="let a kernel do it, or lower the transfer to loops (convert-dma-to-loops)",
            )


def _has_byte_rows(op: DmaStartOp) -> bool:
    """Return whether the near buffer holds bytes without gaps."""
    tile, strides = shape_of(op.near), _strides(op, op.near)
    dense = [prod(tile[axis + 1 :]) for axis in range(len(tile))]
    return bool(tile) and element_of(op.near) == i8 and strides == dense


def _fill_rows(builder: Builder, near: SSAValue, bounds: Sequence[Range], fill: Any) -> None:
    """Build the fill of the part of a tile of bytes that is out of bounds, a row of contiguous bytes at a time."""
    tile, value = shape_of(near), cast("IntegerAttr[Any]", fill).value.data

    def rows(box: Sequence[Range], axis: int) -> None:
        extent = _extent(builder, box[axis])
        with builder.when(builder.compare(extent, "sgt", 0)):
            elements = builder.value(builder.mul(extent, prod(tile[axis + 1 :])))
            first = [builder.value(index) for index in (box[axis][0], *[0] * (len(tile) - axis - 1))]
            with over_box(builder, box[:axis]) as indices:
                builder.insert(fill_row((near, [*indices, *first]), elements, value=value))

    fill_outside(builder, near, bounds, rows)


def _leads_to(token: SSAValue, level: str) -> bool:
    """Return whether the transfers of a token have an end in a level; a loop carries tokens of one operand."""
    pending, seen = [token], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, DmaStartOp):
            return _levels(value.owner)[0] == level
        pending += _sources(value)
    return False


def _sources(token: SSAValue) -> list[SSAValue]:
    """Return the tokens that a loop-carried or conditional token may alias."""
    if isinstance(token, BlockArgument):
        loop, index = token.block.parent_op(), token.index - 1
    else:
        assert isinstance(token, OpResult)
        loop, index = token.op, token.index
    if isinstance(loop, scf.ForOp):
        return [loop.iter_args[index], _yielded(loop.body.block)[index]]
    if isinstance(loop, scf.IfOp):
        return [_yielded(region.block)[index] for region in (loop.true_region, loop.false_region)]
    return []


def _yielded(block: Block) -> Sequence[SSAValue]:
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    return end.operands


@dataclass(frozen=True)
class _Rows:
    """
    Decomposition of a tile into rows that are contiguous on both sides, for every clipping of the tile.

    A row is the in-bounds part of axis `axis` with all inner axes, `inner` elements per index. If `axis` is the rank, a
    row is one element.
    """

    axis: int
    inner: int


def _rows_of(op: DmaStartOp) -> _Rows:
    """Return the decomposition with the longest rows."""
    tile, whole = shape_of(op.near), shape_of(op.far)
    far, near = (_strides(op, side) for side in (op.far, op.near))
    if not tile or (far[-1] != 1 and whole[-1] != 1):
        return _Rows(len(tile), 1)
    axis, inner = len(tile) - 1, 1
    while axis > 0 and _is_whole(op, axis) and far[axis - 1] == near[axis - 1] == inner * tile[axis]:
        inner *= tile[axis]
        axis -= 1
    return _Rows(axis, inner)


def _strides(op: DmaStartOp, side: SSAValue) -> list[int]:
    strides = cast("MemRefType[Any]", side.type).get_strides()
    if strides is None or None in strides:
        raise Diagnostic("a transfer between buffers of unknown layout", where=where(op), expected="static strides")
    return [step or 0 for step in strides]


def _is_whole(op: DmaStartOp, axis: int) -> bool:
    """Return whether the tile always spans an axis."""
    tile, whole = shape_of(op.near)[axis], shape_of(op.far)[axis]
    return tile == whole and inside(op)[axis] == (True, True)


def _start_rows(builder: Builder, op: DmaStartOp, bounds: Sequence[Range], *, external: bool) -> Sequence[SSAValue]:
    """Build the transfers of a tile, by planes of rows if these are contiguous in near memory."""
    copy = _TileCopy(op, builder, builder.block.args, bounds, _rows_of(op), external)
    group = builder.op(DmaBeginOp(external=external))
    if copy.rows.axis == 0 or copy.is_plane:
        copy.start(plane=copy.rows.axis > 0)
    else:
        extent, full = _extent(builder, bounds[copy.rows.axis]), shape_of(op.near)[copy.rows.axis]
        is_plane = builder.compare(extent, "eq", full)
        builder.choose(is_plane, lambda: copy.start(plane=True), lambda: copy.start(plane=False))
    return [group]


@dataclass(frozen=True)
class _TileCopy:
    """Copy of the in-bounds part of a tile, in a function (far, near, offsets...)."""

    op: DmaStartOp
    builder: Builder
    arguments: Sequence[SSAValue]
    bounds: Sequence[Range]
    rows: _Rows
    external: bool

    @property
    def is_plane(self) -> bool:
        """Return whether rows are always contiguous in near memory: each is one element, or spans its axis."""
        axis = self.rows.axis
        return axis == len(self.bounds) or self.op.clipped is None or _is_whole(self.op, axis)

    @property
    def _plane_axis(self) -> int:
        """The axis whose rows one transfer covers: between it and the rows a tile has a single element along each."""
        tile = shape_of(self.op.near)
        return max((axis for axis in range(self.rows.axis) if tile[axis] != 1), default=self.rows.axis - 1)

    def start(self, *, plane: bool) -> None:
        """Build the transfers in loops over the outer axes; a `plane` covers the innermost of several elements."""
        outer = self._plane_axis if plane else self.rows.axis
        with over_box(self.builder, self.bounds[:outer]) as indices:
            self._one(indices, plane=plane)

    def _one(self, indices: list[SSAValue], *, plane: bool) -> None:
        builder, (far, near, *offsets) = self.builder, self.arguments
        near_at = [*indices, *(low for low, _ in self.bounds[len(indices) :])]
        far_at = [builder.add(offset, index) for offset, index in zip(offsets, near_at, strict=True)]
        elements: Index = self.rows.inner
        if self.rows.axis < len(self.bounds):
            elements = builder.mul(_extent(builder, self.bounds[self.rows.axis]), elements)
        count: Index = 1
        for bounds in self.bounds[len(indices) : self.rows.axis] if plane else ():
            count = builder.mul(count, _extent(builder, bounds))
        operands = [builder.value(index) for index in near_at], builder.value(count), builder.value(elements)
        kind = DmaOutOp if self.op.writes_far else DmaInOp
        axis = len(indices) if plane else 0
        builder.insert(kind(far, far_at, near, *operands, axis=axis, external=self.external))


def _extent(builder: Builder, bounds: Range) -> Index:
    """Return the in-bounds extent of an axis, 0 for a tile entirely out of bounds."""
    return builder.max(builder.sub(bounds[1], bounds[0]), 0)


def _check_levels(module: ModuleOp, external: str) -> None:
    """Raise Diagnostic unless all transfers except external ones are between the same two levels."""
    starts = [op for function in functions(module) for op in nested_ops(function) if type(op) is DmaStartOp]
    inside = [op for op in starts if _levels(op)[0] != external]
    for op in inside:
        if _levels(op) != _levels(inside[0]):
            raise Diagnostic(
                "the cluster's DMA engine does not reach all levels of the machine",
                where=where(op),
                expected=f"transfers between {' and '.join(_levels(inside[0]))}",
                found=f"one between {' and '.join(_levels(op))}",
                remedy="call the farthest level external; the interpreter and the simulator know every level",
            )


_FARTHEST = "the farthest level"


def _levels(op: DmaStartOp) -> tuple[str, str]:
    spaces = (getattr(side.type, "memory_space", None) for side in (op.far, op.near))
    far, near = (space.data if isinstance(space, StringAttr) else _FARTHEST for space in spaces)
    return far, near


def _external(module: ModuleOp) -> str:
    """Return the external level of the machine, empty if it has none."""
    is_external = ATTRIBUTE in module.attributes and machine_of(module).far.external
    return _FARTHEST if is_external else ""


def _mark_globals(module: ModuleOp) -> None:
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp) and isinstance(cast("MemRefType[Any]", op.type).memory_space, NoneAttr):
            op.attributes[EXTERNAL] = UnitAttr()


@dataclass(frozen=True)
class ConvertDmaToClusterPass(Pass):
    """
    Lower transfers of tiles to calls of functions that start them on a cluster's DMA engine, by rows.

    Tokens become group numbers, waits `cluster.dma_wait`. The processor fills the padding before the transfer.
    Transfers of an `external` level are executed by another engine: their ops are marked, and so are the globals there
    (`tilewright.external`).
    """

    name = "convert-dma-to-cluster"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        external = _external(op)
        _check_levels(op, external)
        copiers = Copiers(op)
        for function in functions(op):
            convert_dma_to_cluster(function, copiers, external)
        if external:
            _mark_globals(op)
