"""Operands from neighbours: tiles that engine instances hand on, as streams of concurrent programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Block, Region, SSAValue

from ...dialects.core.scalars import Index
from ...dialects.hier import (
    DmaStartOp,
    GridOp,
    ProgramOp,
    PushOp,
    ReleaseOp,
    ReserveOp,
    StreamOp,
    StreamType,
    TokenType,
)
from ...dialects.hier.streams import FrontOp, PopOp
from .streams import OperandStream, Step, streams_of
from .writer import Writer


@dataclass(frozen=True)
class Chain:
    """
    Queues of one operand's tiles, one for each instance, which hands its tiles on to the instances behind it.

    An instance sends a tile on as soon as it has it, computes meanwhile, and releases it after its last use.
    """

    stream: OperandStream
    queues: SSAValue
    place: Sequence[SSAValue] = ()
    """Coordinates of the instance."""

    def take(self, writer: Writer) -> tuple[SSAValue, list[SSAValue]]:
        """Pop a tile and send it on; return it, and the tokens of its transfers."""
        tile = writer.op(PopOp(self.queues, self.place))
        return tile, [self._send(writer, tile, number) for number in range(len(self.dims))]

    def taken_at(self, step: Step) -> tuple[SSAValue, list[SSAValue]]:
        """Return the tile of a step, popped and sent on at its first step, and the tokens of its transfers."""
        if self.stream.run == 1:
            return self.take(step.writer)
        first = step.writer.is_turn(step.number, self.stream.run, 0, self.stream.steps)
        tokens: list[SSAValue] = []
        if self.dims:
            tokens = step.writer.choose(first, [TokenType()] * len(self.dims), self._taken, self._nothing)
        else:
            step.writer.when(first, self.take)
        return step.writer.op(FrontOp(self.queues, self.place)), tokens

    def _taken(self, writer: Writer) -> list[SSAValue]:
        return self.take(writer)[1]

    def _nothing(self, writer: Writer) -> list[SSAValue]:
        return [writer.no_transfer() for _ in self.dims]

    def release_at(self, step: Step) -> None:
        """Release the tile at its last step."""
        if self.stream.run == 1:
            self.release(step.writer)
            return
        run = self.stream.run
        step.writer.when(step.writer.is_turn(step.number, run, run - 1, self.stream.steps), self.release)

    def release(self, writer: Writer) -> None:
        """Release the tile."""
        writer.effect(ReleaseOp(self.queues, self.place))

    @property
    def dims(self) -> list[int]:
        """The spatial dimensions of several instances along which the tile goes, first to last."""
        return [dim for dim in self.stream.tile.chain if self.stream.grid.bounds[dim] > 1]

    def _send(self, writer: Writer, tile: SSAValue, number: int) -> SSAValue:
        """Send a tile to the instance behind along a dimension; return the token."""
        grid, dim = self.stream.grid, self.dims[number]
        own = dict(zip(grid.spatial_dims, self.place, strict=True))
        condition = writer.op(arith.CmpiOp(own[dim], writer.value(grid.bounds[dim] - 1), "ult"))
        for later in self.dims[number + 1 :]:
            condition = writer.op(arith.AndIOp(condition, writer.equals(own[later], 0)))

        def send(inner: Writer) -> list[SSAValue]:
            behind = [inner.value(inner.add(own[each], int(each == dim))) for each in grid.spatial_dims]
            slot = inner.op(ReserveOp(self.queues, behind))
            token = inner.op(DmaStartOp(tile, [inner.value(0)] * len(self.stream.tile.extents), slot))
            inner.effect(PushOp(self.queues, behind, token))
            return [token]

        return writer.choose(condition, [TokenType()], send, lambda inner: [inner.no_transfer()])[0]


@dataclass(frozen=True)
class Chains:
    """The operands of a grid that come from neighbours, by number."""

    chains: Mapping[int, Chain] = field(default_factory=dict[int, Chain])

    @staticmethod
    def of(writer: Writer, grid: GridOp, memories: Mapping[str, SSAValue], units: Mapping[str, int]) -> Chains:
        """Make the queues of a grid's operands: the slots of each are the buffers of its tiles."""
        found: dict[int, Chain] = {}
        extents = [grid.bounds[dim] for dim in grid.spatial_dims]
        for stream in streams_of(grid, memories, units):
            if stream.tile.chain:
                kind = StreamType.get(stream.tile.type_of(stream.operand), extents)
                queues = writer.op(StreamOp(stream.tiles.ring, kind, stream.tile.place))
                queues.name_hint = grid.buffers[stream.index].name_hint
                found[stream.index] = Chain(stream, queues)
        return Chains(found)

    def at(self, place: Sequence[SSAValue]) -> Chains:
        """Return the chains of an instance."""
        return Chains({index: Chain(each.stream, each.queues, place) for index, each in self.chains.items()})

    def feeds(self, writer: Writer) -> list[ProgramOp]:
        """Return the programs that fetch the tiles of the instances at 0 along the dimensions of a chain."""
        return [_feed(writer, each) for each in self.chains.values()]


def _feed(writer: Writer, chain: Chain) -> ProgramOp:
    """Return the program that fetches each tile of an operand."""
    stream, grid = chain.stream, chain.stream.grid
    extents = [1 if dim in stream.tile.chain else grid.bounds[dim] for dim in grid.spatial_dims]
    block = Block(arg_types=[IndexType()] * len(extents))
    name_point(block, grid)
    place, inner = block.args, writer.at_end_of(block)
    copy: dict[int, Index] = dict(zip(grid.spatial_dims, place, strict=True))
    bounds = tuple(1 if dim in grid.spatial_dims else extent for dim, extent in enumerate(grid.bounds))

    def fetch(at: Writer, number: Index) -> None:
        slot = at.op(ReserveOp(chain.queues, place))
        token = stream.start(at, stream.offsets(Step(at, bounds, at.value(number), copy)), slot)
        cast(DmaStartOp, token.owner).stages = None
        at.wait(token)
        at.effect(PushOp(chain.queues, place))

    if stream.tiles.count == 1:
        fetch(inner, 0)
    else:
        first, end, one = (inner.value(limit) for limit in (0, stream.tiles.count, 1))
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = "tile"
        each = inner.at_end_of(body)
        fetch(each, each.multiply(body.args[0], stream.run))
        each.effect(scf.YieldOp())
        inner.effect(scf.ForOp(first, end, one, [], body))
    return program_over(f"feed {chain.queues.name_hint or stream.index}", block, extents)


def program_over(title: str, block: Block, extents: Sequence[int], engine: StringAttr | None = None) -> ProgramOp:
    """Return a program replicated over coordinates."""
    return ProgramOp(title, Region(block), engine.data if engine is not None else None, extents)


def name_point(block: Block, grid: GridOp) -> None:
    """Name the coordinates of a program as the spatial dimensions of a grid."""
    for dim, index in zip(grid.spatial_dims, block.args, strict=True):
        index.name_hint = grid.point[dim].name_hint or "copy"
