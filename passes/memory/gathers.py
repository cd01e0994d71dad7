"""Gathers of rows as copies by lookup: each tile of the source is the one that an entry of a table chooses."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod
from typing import Any, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...dialects.hier import GridOp, LookupAttr, TileAttr
from ...ir import element_of, shape_of
from ..map_engines import engine_of
from ..proof.kernel import ATTRIBUTE
from .candidates import Candidates
from .cost_model import CostModel
from .hints import SIZES
from .role_levels import RoleLevels, role_levels_of
from .route import Route

_AXIS = "axis"


@dataclass(frozen=True)
class Gather:
    """Kernel whose result has, along an axis, the elements of `source` that `table` [entries] chooses, from 0 on."""

    op: linalg.GenericOp
    source: SSAValue
    table: SSAValue
    axis: int


def gather_of(op: Operation) -> Gather | None:
    """Return an op as a gather; None if it computes, if entries may be negative, or if the table has several axes."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 1 or len(op.outputs) != 1:
        return None
    block, table = op.body.block, op.inputs[0]
    last = block.last_op
    load = last.operands[0].owner if last is not None and len(last.operands) == 1 else None
    rank = len(shape_of(op.outputs[0]))
    if not isinstance(load, memref.LoadOp) or len(load.indices) != rank or len(shape_of(table)) != 1:
        return None
    chosen = [axis for axis, index in enumerate(load.indices) if _is_entry(index, block.args[0])]
    others = [axis for axis, index in enumerate(load.indices) if _is_index(index, axis)]
    maps = [attr.data for attr in op.indexing_maps]
    if len(chosen) != 1 or len(others) != rank - 1:
        return None
    wanted = [AffineMap(rank, 0, (AffineExpr.dimension(chosen[0]),)), AffineMap.identity(rank)]
    return Gather(op, load.memref, table, chosen[0]) if maps == wanted else None


def _is_entry(index: SSAValue, entry: SSAValue) -> bool:
    return isinstance(index.owner, arith.IndexCastOp) and index.owner.input is entry


def _is_index(index: SSAValue, axis: int) -> bool:
    return isinstance(index.owner, linalg.IndexOp) and index.owner.dim.value.data == axis


def prepare_gathers(block: Block, machine: Machine, *, double_buffered: bool) -> None:
    """
    Replace the gathers of a block by copies of the rows that they select, where that is faster.

    What is copied is a cast of source and table, which `look_up` resolves in the grid of the copy.
    """
    for gather in [gather for op in block.ops if (gather := gather_of(op)) is not None]:
        engine = engine_of(gather.op, machine)
        role_levels = role_levels_of(engine, machine, 0)
        if role_levels is None or not role_levels.is_last or machine.far.external:
            continue
        cast_op, copy = _copy_of(gather)
        copy.attributes["engine"] = StringAttr(engine.name)
        tiled = _tiled_cycles(copy, engine, role_levels, machine, double_buffered=double_buffered)
        if tiled is None or tiled >= _far_cycles(gather.op, engine, machine):
            copy.erase()
            cast_op.erase()
            continue
        Rewriter.insert_op(cast_op, InsertPoint.before(gather.op))
        copy.location = gather.op.location
        Rewriter.replace_op(gather.op, copy, [])


def _copy_of(gather: Gather) -> tuple[UnrealizedConversionCastOp, linalg.GenericOp]:
    out = gather.op.outputs[0]
    shape, element = shape_of(out), element_of(out)
    whole = UnrealizedConversionCastOp.get([gather.source, gather.table], [MemRefType(cast(Any, element), shape)])
    whole.attributes[_AXIS] = IntegerAttr(gather.axis, i64)
    body = Block(arg_types=[element, element])
    body.add_op(linalg.YieldOp(body.args[0]))
    maps = [AffineMapAttr(AffineMap.identity(len(shape)))] * 2
    iterators = [IteratorTypeAttr.parallel()] * len(shape)
    copy = linalg.GenericOp(whole.results, [out], Region(body), maps, iterators)
    sizes = [int(axis == gather.axis) for axis in range(len(shape))]
    copy.attributes[SIZES] = DenseArrayBase.from_list(i64, sizes)
    return whole, copy


def _tiled_cycles(
    copy: Operation, engine: Engine, role_levels: RoleLevels, machine: Machine, *, double_buffered: bool
) -> int | None:
    """Return the cycles of the fastest tiling of a copy; None if the engine runs none that fits."""
    route = Route(machine, {copy: engine}, (role_levels,))
    if machine.tile_cost(engine, copy) is None:
        return None
    candidates = Candidates(
        [copy], {0: (route, CostModel((copy,), route))}, double_buffered=double_buffered, residency={}
    )
    candidate = candidates.fastest([level.size for level in route.levels])
    return None if candidate is None else candidate.cycles


def _far_cycles(op: Operation, engine: Engine, machine: Machine) -> int:
    """Return the cycles of a kernel whose operands stay in the far level, an access each element."""
    elements = sum(prod(shape_of(value)) for value in op.operands)
    return (machine.cost(engine, op) or 0) + ceil(machine.far.latency * elements / engine.cores)


def look_up(grid: GridOp) -> None:
    """Resolve a cast of source and table among the inputs of a grid: the table chooses the tiles of the source."""
    count, rank = len(grid.inputs), len(grid.bounds)
    inputs = list(grid.inputs)
    index = next((k for k, value in enumerate(inputs) if isinstance(value.owner, UnrealizedConversionCastOp)), None)
    if index is None:
        return
    whole = inputs[index].owner
    assert isinstance(whole, UnrealizedConversionCastOp)
    inputs[index], table = whole.operands
    axis = cast("IntegerAttr[Any]", whole.attributes[_AXIS]).value.data
    tiles = list(grid.tiles.data)
    exprs = list(tiles[index].map.data.results)
    lookup = LookupAttr.get(count, AffineMap(rank, 0, (exprs[axis],)), (0, shape_of(inputs[index])[axis]))
    exprs[axis] = AffineExpr.symbol(0)
    lead = AffineMapAttr(AffineMap(rank, 1, tuple(exprs)))
    tiles[index] = tiles[index].with_map(lead, [lookup])
    start = AffineMapAttr(AffineMap(rank, 0, (AffineExpr.constant(0),)))
    tiles.insert(count, TileAttr.get(shape_of(table), start))
    body = grid.detach_region(grid.body)
    body.block.insert_arg(table.type, rank + count)
    for op in body.block.ops:
        op.attributes.pop(ATTRIBUTE, None)  # describes the whole as the copy's own operand
    resolved = GridOp(
        grid.bounds,
        [*inputs, table],
        list(grid.outputs),
        tiles,
        body,
        scratch=grid.scratches,
        spatial=grid.spatial_dims,
        strides=grid.strides,
    )
    resolved.attributes |= grid.attributes
    resolved.location = grid.location
    Rewriter.replace_op(grid, resolved, [])
    Rewriter.erase_op(whole)
