"""Lowering of grids to loops with explicit transfers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import Index
from ..dialects.hier import ConcurrentOp, FirstOp, GridOp, LastOp, YieldOp
from ..ir import functions
from .core.base import Pass
from .grids.memories import Memories, place_residents
from .grids.neighbours import Chains, name_point, program_over
from .grids.streams import OperandStream, Step, stage_bytes, streams_of
from .grids.writer import Writer
from .memory.views import view_of

__all__ = ["ExpandGridPass", "expand_grids", "stage_bytes"]


def expand_grids(module: ModuleOp, function: FuncOp) -> None:
    """Replace all grids of a function by loops, and its resident buffers by views of their levels' memories."""
    memories = Memories(module, function)
    ops = nested_ops(function)
    # All grids exist during this loop: lowering an inner grid needs the extents of the outer ones.
    for op in ops:
        if type(op) is FirstOp or type(op) is LastOp:
            _expand_end(op)
    inside: dict[GridOp | None, list[GridOp]] = {}
    for op in ops:
        if type(op) is GridOp:
            inside.setdefault(_grid_around(op), []).append(op)
    pending = inside.get(None, [])
    while pending:
        grid = pending.pop()
        _expand(grid, memories)
        pending += inside.get(grid, [])
    place_residents([op for op in ops if type(op) is memref.AllocOp], memories)


def _grid_around(op: Operation) -> GridOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, GridOp):
        parent = parent.parent_op()
    return parent


def _expand(grid: GridOp, memories: Memories) -> None:
    """
    Replace a grid by a loop over its points, one per engine instance if spatially mapped.

    A tile is fetched before its first use and written after its last; each transfer is waited for at once. Raises
    Diagnostic for a tile without an address.
    """
    writer = Writer.before(grid)
    if any(tile.source.neighbour_dims for tile in grid.tiles):
        _write_programs(writer, grid, memories)
        Rewriter.erase_op(grid)
        return
    if grid.copies == 1:
        _write_loop(writer, grid, {}, memories.at(grid), memories.units)
        Rewriter.erase_op(grid)
        return
    dims = [dim for dim in grid.spatial_dims if grid.bounds[dim] > 1]
    zero, one = writer.value(0), writer.value(1)
    ends = [writer.value(grid.bounds[dim]) for dim in dims]
    body = Block(arg_types=[IndexType()] * len(dims))
    for dim, index in zip(dims, body.args, strict=True):
        index.name_hint = grid.point[dim].name_hint or "copy"
    with writer.inside(body):
        windows = memories.windows(grid, writer, body.args)
        _write_loop(writer, grid, dict(zip(dims, body.args, strict=True)), windows, memories.units)
        writer.insert(scf.ReduceOp())
    parallel = scf.ParallelOp([zero] * len(dims), ends, [one] * len(dims), Region(body))
    writer.insert(parallel)
    memories.enter(parallel, windows)
    Rewriter.erase_op(grid)


def _write_programs(writer: Writer, grid: GridOp, memories: Memories) -> None:
    """Emit a program for each engine instance, and those that feed the first of each chain."""
    chains = Chains.of(writer, grid, memories.at(grid), memories.units)
    body = Block(arg_types=[IndexType()] * len(grid.spatial_dims))
    name_point(body, grid)
    several = [index for dim, index in zip(grid.spatial_dims, body.args, strict=True) if grid.bounds[dim] > 1]
    instance: dict[int, Index] = dict(zip(grid.spatial_dims, body.args, strict=True))
    feeds = chains.feeds(writer)
    with writer.inside(body):
        windows = memories.windows(grid, writer, several)
        _write_loop(writer, grid, instance, windows, memories.units, chains.at(body.args))
    engine = grid.attributes.get("engine")
    extents = [grid.bounds[dim] for dim in grid.spatial_dims]
    node = program_over("node", body, extents, engine if isinstance(engine, StringAttr) else None)
    for program in (*feeds, node):
        program.location = grid.location
    memories.enter(node, windows)
    writer.insert(ConcurrentOp([*feeds, node]))


def _write_loop(
    writer: Writer,
    grid: GridOp,
    instance: Mapping[int, Index],
    memories: Mapping[str, SSAValue],
    units: Mapping[str, int],
    chains: Chains = Chains(),
) -> None:
    """Emit the loop over the points of one engine instance; `instance` has its spatial indices."""
    streams = streams_of(grid, memories, units)
    scratch: list[SSAValue] = []
    for buffer in grid.scratches:
        start = writer.value(buffer.byte_address or 0)
        scratch.append(writer.op(view_of(memories[buffer.level_name], start, buffer.type)))
    taken = {index: chain.take(writer) for index, chain in chains.chains.items() if chain.stream.tiles.count == 1}
    bounds = tuple(1 if dim in grid.spatial_dims else extent for dim, extent in enumerate(grid.bounds))
    with writer.loop("step", 0, grid.steps, kept=True) as step:
        _write_step(Step(writer, bounds, writer.value(step), instance), grid, streams, scratch, chains, taken)
    for index, (_, tokens) in taken.items():
        _let_go(writer, tokens)
        chains.chains[index].release(writer)


def _let_go(writer: Writer, tokens: Iterable[SSAValue]) -> None:
    """Wait until the tiles that have been sent on are there."""
    for token in tokens:
        writer.wait(token)


def _write_step(
    step: Step,
    grid: GridOp,
    streams: list[OperandStream],
    scratch: list[SSAValue],
    chains: Chains,
    taken: Mapping[int, tuple[SSAValue, list[SSAValue]]],
) -> None:
    buffers: list[SSAValue] = []
    for stream in streams:
        if stream.tile.source.neighbour_dims:
            buffers.append(stream.operand)
            continue
        buffers.append(stream.buffer(step) if stream.started is None else stream.operand)
        if stream.started is None and stream.memory is not None and not stream.is_output:
            _move(step, stream, buffers[-1], 0)
    for index, stream in enumerate(streams):
        if stream.started is not None:
            buffers[index] = buffers[stream.started]
            _move(step, stream, buffers[index], 0)
    sent: list[SSAValue] = []
    for index, chain in chains.chains.items():
        if index in taken:
            buffers[index] = taken[index][0]
        else:
            buffers[index], tokens = chain.taken_at(step)
            sent += tokens
    _name(buffers, grid)
    _inherit_engine(grid.body.block, grid.attributes.get("engine"))
    point = [step.writer.value(step.dim(arg.index)) if arg.uses else step.number for arg in grid.point]
    terminator = grid.body.block.last_op
    assert isinstance(terminator, YieldOp)
    Rewriter.erase_op(terminator)
    Rewriter.inline_block(grid.body.block, step.writer.point, [*point, *buffers, *scratch])
    _let_go(step.writer, sent)
    for index, chain in chains.chains.items():
        if index not in taken:
            chain.release_at(step)
    for stream, near in zip(streams, buffers, strict=True):
        if stream.memory is not None and stream.is_output:
            _move(step, stream, near, stream.run - 1)


def _move(step: Step, stream: OperandStream, near: SSAValue, number: int) -> None:
    """Transfer a tile at step `number` of its residency, and wait."""
    # A table is looked up once per tile; index arithmetic is shared by all steps.
    offsets = None if stream.tile.lookups and stream.run > 1 else stream.offsets(step)
    writer = step.writer
    with ExitStack() as branch:
        if stream.run > 1:
            branch.enter_context(writer.when(writer.is_turn(step.number, stream.run, number, stream.steps)))
        writer.wait(stream.start(writer, stream.offsets(step) if offsets is None else offsets, near))


def _name(buffers: list[SSAValue], grid: GridOp) -> None:
    """Copy the names of the body's arguments to the buffers."""
    for buffer, argument, operand in zip(buffers, grid.buffers, grid.operands, strict=True):
        if buffer is not operand:
            buffer.name_hint = argument.name_hint


def _inherit_engine(block: Block, engine: Attribute | None) -> None:
    """Set the engine of kernels of a grid to the grid's, unless they name one."""
    if engine is None:
        return
    for op in block.ops:
        if is_kernel(op) or isinstance(op, GridOp):
            op.attributes.setdefault("engine", engine)
        elif isinstance(op, scf.IfOp):
            for inner in (inner for region in op.regions for inner in region.blocks):
                _inherit_engine(inner, engine)


def _expand_end(op: FirstOp | LastOp) -> None:
    """Replace hier.first or hier.last by a conditional on the loop indices, or inline it if the extents are 1."""
    ends = [
        (dim, 0 if isinstance(op, FirstOp) else bound - 1)
        for dim, bound in zip(op.dims, op.bounds, strict=True)
        if bound > 1
    ]
    if ends:
        _guard(op, ends)
    elif op.body.block.first_op is not None:
        Rewriter.inline_block(op.body.block, InsertPoint.before(op))
    Rewriter.erase_op(op)


def _guard(op: Operation, ends: list[tuple[SSAValue, int]]) -> None:
    writer = Writer.before(op)
    condition = reduce(writer.both, [writer.equals(dim, end) for dim, end in ends])
    end = scf.YieldOp()
    end.location = op.location
    op.regions[0].block.add_op(end)
    writer.insert(scf.IfOp(condition, [], op.detach_region(op.regions[0])))


@dataclass(frozen=True)
class ExpandGridPass(Pass):
    """
    Lower grids to loops with transfers of tiles and waits, over engine instances to parallel loops.

    The tiles must have levels and addresses (plan-memory). All data movement is explicit afterwards, and each transfer
    is waited for at once; pipeline-dma overlaps transfers and compute.
    """

    name = "expand-grid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            expand_grids(op, function)
