"""Operands from neighbours: tiles that engine instances hand on, as streams of concurrent programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

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
    instance: Sequence[SSAValue] = ()
    """Coordinates of the instance."""

    def take(self, writer: Writer) -> tuple[SSAValue, list[SSAValue]]:
        """Pop a tile and send it on; return it, and the tokens of its transfers."""
        tile = writer.op(PopOp(self.queues, self.instance))
        return tile, [self._send(writer, tile, number) for number in range(len(self.dims))]

    def taken_at(self, step: Step) -> tuple[SSAValue, list[SSAValue]]:
        """Return the tile of a step, popped and sent on at its first step, and the tokens of its transfers."""
        if self.stream.run == 1:
            return self.take(step.writer)
        first = step.writer.is_turn(step.number, self.stream.run, 0, self.stream.steps)
        tokens: list[SSAValue] = []
        if self.dims:
            writer = step.writer
            tokens = writer.choose(
                first, lambda: self.take(writer)[1], lambda: [writer.no_transfer() for _ in self.dims]
            )
        else:
            with step.writer.when(first):
                self.take(step.writer)
        return step.writer.op(FrontOp(self.queues, self.instance)), tokens

    def release_at(self, step: Step) -> None:
        """Release the tile at its last step."""
        if self.stream.run == 1:
            self.release(step.writer)
            return
        run = self.stream.run
        with step.writer.when(step.writer.is_turn(step.number, run, run - 1, self.stream.steps)):
            self.release(step.writer)

    def release(self, writer: Writer) -> None:
        """Release the tile."""
        writer.insert(ReleaseOp(self.queues, self.instance))

    @property
    def dims(self) -> list[int]:
        """The spatial dimensions of several instances along which the tile goes, first to last."""
        return [dim for dim in self.stream.tile.source.neighbour_dims if self.stream.grid.bounds[dim] > 1]

    def _send(self, writer: Writer, tile: SSAValue, number: int) -> SSAValue:
        """Send a tile to the instance behind along a dimension; return the token."""
        grid, dim = self.stream.grid, self.dims[number]
        own = dict(zip(grid.spatial_dims, self.instance, strict=True))
        condition = writer.compare(own[dim], "ult", grid.bounds[dim] - 1)
        for later in self.dims[number + 1 :]:
            condition = writer.both(condition, writer.equals(own[later], 0))

        def send() -> list[SSAValue]:
            behind = [writer.add(own[axis], int(axis == dim)) for axis in grid.spatial_dims]
            slot = writer.op(ReserveOp(self.queues, behind))
            token = writer.op(DmaStartOp(tile, [writer.value(0)] * len(self.stream.tile.extents), slot))
            writer.insert(PushOp(self.queues, behind, token))
            return [token]

        return writer.choose(condition, send, lambda: [writer.no_transfer()])[0]


@dataclass(frozen=True)
class Chains:
    """The operands of a grid that come from neighbours, by number."""

    chains: Mapping[int, Chain] = field(default_factory=dict[int, Chain])

    @staticmethod
    def of(writer: Writer, grid: GridOp, memories: Mapping[str, SSAValue], units: Mapping[str, int]) -> Chains:
        """Make the queues of a grid's operands: the slots of each are the buffers of its tiles."""
        chains: dict[int, Chain] = {}
        extents = [grid.bounds[dim] for dim in grid.spatial_dims]
        for stream in streams_of(grid, memories, units):
            if stream.tile.source.neighbour_dims:
                kind = StreamType.get(stream.tile.type_of(stream.operand), extents)
                queues = writer.op(StreamOp(stream.tiles.ring, kind, stream.tile.byte_address))
                queues.name_hint = grid.buffers[stream.index].name_hint
                chains[stream.index] = Chain(stream, queues)
        return Chains(chains)

    def at(self, instance: Sequence[SSAValue]) -> Chains:
        """Return the chains of an instance."""
        return Chains({index: Chain(chain.stream, chain.queues, instance) for index, chain in self.chains.items()})

    def feeds(self, writer: Writer) -> list[ProgramOp]:
        """Return the programs that fetch the tiles of the instances at 0 along the dimensions of a chain."""
        return [_feed(writer, chain) for chain in self.chains.values()]


def _feed(writer: Writer, chain: Chain) -> ProgramOp:
    """Return the program that fetches each tile of an operand."""
    stream, grid = chain.stream, chain.stream.grid
    extents = [1 if dim in stream.tile.source.neighbour_dims else grid.bounds[dim] for dim in grid.spatial_dims]
    block = Block(arg_types=[IndexType()] * len(extents))
    name_point(block, grid)
    instance = block.args
    copy: dict[int, Index] = dict(zip(grid.spatial_dims, instance, strict=True))
    bounds = tuple(1 if dim in grid.spatial_dims else extent for dim, extent in enumerate(grid.bounds))

    with writer.inside(block), writer.loop("tile", 0, stream.tiles.count) as tile:
        slot = writer.op(ReserveOp(chain.queues, instance))
        step = Step(writer, bounds, writer.value(writer.mul(tile, stream.run)), copy)
        token = stream.start(writer, stream.offsets(step), slot)
        cast(DmaStartOp, token.owner).stages = None
        writer.wait(token)
        writer.insert(PushOp(chain.queues, instance))
    return program_over(f"feed {chain.queues.name_hint or stream.index}", block, extents)


def program_over(title: str, block: Block, extents: Sequence[int], engine: StringAttr | None = None) -> ProgramOp:
    """Return a program replicated over coordinates."""
    return ProgramOp(title, Region(block), engine.data if engine is not None else None, extents)


def name_point(block: Block, grid: GridOp) -> None:
    """Name the coordinates of a program as the spatial dimensions of a grid."""
    for dim, index in zip(grid.spatial_dims, block.args, strict=True):
        index.name_hint = grid.point[dim].name_hint or "copy"
