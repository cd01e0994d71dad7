"""Software pipelining of loops over tiles: transfers overlap with compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import Index
from ..dialects.hier import TokenType
from ..ir import functions
from .core.base import Pass
from .core.dead_code import erase_dead
from .core.remarks import missed, passed, wanted
from .grids.tile_loops import TileLoop, Transfer, tile_loop
from .grids.writer import Writer


def pipeline_dma(function: FuncOp) -> None:
    """
    Software-pipeline the loops over tiles of a function; other loops are unchanged.

    A loop-invariant tile is fetched before the loop. With two or more buffers, the first tile is fetched in the
    prologue, and each next one during the use of the previous one. A write is waited for before its buffer is reused,
    or in the epilogue. Tiles whose sums start from an operand are fetched and written in one ring: with three buffers,
    the next one starts while one is computed and another is written.
    """
    for op in reversed(nested_ops(function)):
        if type(op) is scf.ForOp and (tiles := tile_loop(op)) is not None:
            if wanted():
                _remark(tiles)
            _pipeline(tiles)


def _remark(tiles: TileLoop) -> None:
    """Remark on the transfers of a loop that overlap its compute, and on those that do not."""
    for transfer in (*tiles.fetches, *tiles.writes):
        start, stages = transfer.start, transfer.tiles.stages
        what, steps = "fetch" if transfer.start.writes_far is None else "write", transfer.count
        if transfer.count == 1:
            continue
        if transfer.is_prefetched or (what == "write" and transfer.in_flight):
            text = "{what} of {steps} tiles during compute, buffers: {stages}"
            passed(start, "overlap", text, what=what, steps=steps, stages=stages)
        else:
            text = "{what} of {steps} tiles is waited for: one buffer"
            missed(start, "overlap", text, what=what, steps=steps, stages=stages)


def _pipeline(tiles: TileLoop) -> None:
    loop, block = tiles.loop, tiles.loop.body.block
    before = Writer.before(loop)
    initial = [token for fetch in tiles.fetches for token in _first_fetch(before, fetch)]
    initial += [before.no_transfer() for write in tiles.writes for _ in range(write.in_flight)]
    tokens: list[SSAValue] = [block.insert_arg(TokenType(), len(block.args)) for _ in initial]
    work = tiles.fetches[-1].end.next_op if tiles.fetches else block.first_op
    assert work is not None
    remaining = iter(tokens)
    fetched = [next(remaining) for fetch in tiles.fetches if fetch.is_prefetched]
    groups = [list(islice(remaining, write.in_flight)) for write in tiles.writes]
    for write, group in zip(tiles.writes, groups, strict=True):
        place = next((fetch.holder for fetch in tiles.fetches if write.shares(fetch)), work)
        _await_buffer(Writer(InsertPoint.before(place), write.start.location), tiles, write, group[0])
    onward = [_next_fetch(tiles, fetch, fetched.pop(0)) for fetch in tiles.fetches if fetch.is_prefetched]
    for fetch in tiles.fetches:
        _settle(fetch)
    for write, group in zip(tiles.writes, groups, strict=True):
        onward += _write_on(write, group)
    erase_dead(op for op in block.ops if op.results)
    _carry(tiles, initial, onward, len(onward) - sum(map(len, groups)))


def _first_fetch(writer: Writer, fetch: Transfer) -> list[SSAValue]:
    """Emit the prologue of a fetch: issued for a prefetched tile, issued and waited for if loop-invariant."""
    if fetch.is_prefetched:
        return [_fetch(writer, fetch, 0)]
    if fetch.count == 1:
        writer.wait(_fetch(writer, fetch, 0))
    return []


def _fetch(writer: Writer, fetch: Transfer, step: Index) -> SSAValue:
    """Issue the transfer of a step of the loop."""
    assert fetch.cone is not None
    start = fetch.start.clone(dict(zip(fetch.start.operands, fetch.cone.at(writer, step, fetch.start.operands))))
    start.stages = None
    return writer.op(start)


def _next_fetch(tiles: TileLoop, fetch: Transfer, token: SSAValue) -> SSAValue:
    """
    Issue the next fetch at the first step of a tile, then wait for the current one; return the loop-carried token.
    """

    writer = Writer(InsertPoint.before(fetch.holder), fetch.start.location)

    def begin() -> list[SSAValue]:
        step = writer.add(tiles.loop.body.block.args[0], fetch.run)
        more = writer.compare(step, "slt", tiles.steps)
        following = writer.choose(more, lambda: [_fetch(writer, fetch, step)], lambda: [writer.no_transfer()])
        writer.wait(token)
        return following

    if not isinstance(fetch.holder, scf.IfOp):
        return begin()[0]
    return writer.choose(fetch.holder.cond, begin, lambda: [token])[0]


def _settle(fetch: Transfer) -> None:
    """Remove a pipelined fetch from the loop's body."""
    if fetch.count > 1 and not fetch.is_prefetched:
        fetch.start.stages = None
    elif isinstance(fetch.holder, scf.IfOp):
        Rewriter.erase_op(fetch.holder)
    else:
        Rewriter.erase_op(fetch.wait)
        Rewriter.erase_op(fetch.start)


def _await_buffer(writer: Writer, tiles: TileLoop, write: Transfer, token: SSAValue) -> None:
    """Wait, at the first step of an output tile, for the previous write from its buffer."""
    if write.run == 1:
        writer.wait(token)
        return
    first = writer.is_turn(tiles.loop.body.block.args[0], write.run, 0, tiles.steps)
    with writer.when(first):
        writer.wait(token)


def _write_on(write: Transfer, tokens: Sequence[SSAValue]) -> list[SSAValue]:
    """Leave a write in flight at the end of a step; return the in-flight tokens, oldest first."""
    write.start.stages = None
    Rewriter.erase_op(write.wait)
    later = [*tokens[1:], write.start.token]
    if not isinstance(write.holder, scf.IfOp):
        return later
    side = write.holder.true_region.block
    end = side.last_op
    assert end is not None
    Rewriter.erase_op(end)
    writer = Writer(InsertPoint.before(write.holder), write.start.location)

    def write_tile() -> list[SSAValue]:
        Rewriter.inline_block(side, writer.point)
        return later

    results = writer.choose(write.holder.cond, write_tile, lambda: tokens)
    Rewriter.erase_op(write.holder)
    return results


def _carry(tiles: TileLoop, initial: Sequence[SSAValue], onward: Sequence[SSAValue], fetched: int) -> None:
    """Add tokens as loop-carried values, and wait for the writes in the epilogue."""
    loop = tiles.loop
    end = loop.body.block.last_op
    assert end is not None
    Rewriter.replace_op(end, scf.YieldOp(*onward))
    carrying = scf.ForOp(loop.lb, loop.ub, loop.step, initial, loop.detach_region(loop.body))
    carrying.attributes |= loop.attributes
    carrying.location = loop.location
    Rewriter.replace_op(loop, carrying, [])
    writer = Writer(InsertPoint.after(carrying), loop.location)
    for token in carrying.results[fetched:]:
        writer.wait(token)


@dataclass(frozen=True)
class PipelineDmaPass(Pass):
    """
    Software-pipeline transfers: prefetch tiles during compute, and delay waits for writes until buffer reuse.

    Applies to the loops of expand-grid; `stages` of a transfer is the number of buffers. Other loops are unchanged.
    """

    name = "pipeline-dma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            pipeline_dma(function)
