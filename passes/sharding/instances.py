"""Replicated programs of the instances that hold the shards of a value, and the streams between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, MemRefType, NoneAttr, StringAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import Index
from ...dialects.hier import (
    AllGatherOp,
    ConcurrentOp,
    DmaStartOp,
    LocalOp,
    ProgramOp,
    PushOp,
    ReserveOp,
    ShiftOp,
    StreamOp,
    StreamType,
)
from ...dialects.hier.sharded import Sharding, ShardStep, shard_type
from ...ir import shape_of
from ..grids.writer import Writer
from ..memory.views import bytes_of


class Lowering:
    """Lowering of a function: the engines of its machine, and streams, which shifts round one ring share."""

    def __init__(self, function: FuncOp, machine: Machine | None):
        self.engines = machine.engines if machine is not None else ()
        self._function = function
        self._largest: dict[Hashable, int] = {}
        for op in nested_ops(function):
            if isinstance(op, ShiftOp | AllGatherOp):
                size = bytes_of(shard_type(cast("MemRefType[Any]", op.source.type)))
                self._largest[ring_of(op)] = max(size, self._largest.get(ring_of(op), 0))
        self._streams: dict[Hashable, StreamOp] = {}

    def stream(self, type: StreamType, depth: int, name: str, key: Hashable) -> SSAValue:
        """Return the stream of a key, a new one for a new key; it is empty between the programs of two ops."""
        if key not in self._streams:
            self._streams[key] = stream = StreamOp(depth, type)
            stream.location, stream.results[0].name_hint = self._function.location, name
        return self._streams[key].results[0]

    def slot(self, ring: tuple[Any, ...]) -> MemRefType[Any]:
        """Return the type of a slot of a ring: bytes for the largest shard that goes round it."""
        return MemRefType(i8, [self._largest[ring]], NoneAttr(), StringAttr(ring[0]))

    def finish(self) -> None:
        """Insert the streams at the begin of the function."""
        if self._streams:
            Rewriter.insert_op(list(self._streams.values()), InsertPoint.at_start(self._function.body.block))


class Instance:
    """Builder of a replicated program, for the instances that hold the shards of a value."""

    def __init__(self, op: Operation, sharding: Sharding, lowering: Lowering):
        self._op = op
        self._lowering = lowering
        self.sharding = sharding
        self.outer = Writer.before(op)
        self.block = Block(arg_types=[IndexType()] * len(sharding.extents))
        self.body = Writer.at_end(self.block, op.location)

    @property
    def point(self) -> Sequence[SSAValue]:
        """The coordinates of the instance."""
        return self.block.args

    def stream(self, value: SSAValue, name: str) -> SSAValue:
        """Return an array of streams of shards of a value."""
        return self._stream(shard_type(cast("MemRefType[Any]", value.type)), name, 1, (self._op, name))

    def ring(self, ring: tuple[Any, ...], number: int, depth: int) -> SSAValue:
        """Return an array of streams round a ring, by number, which all shifts round it share."""
        return self._stream(self._lowering.slot(ring), "ring", depth, (ring, number, depth))

    def _stream(self, tile: MemRefType[Any], name: str, depth: int, key: Hashable) -> SSAValue:
        over = [low + extent for low, extent in zip(self.sharding.lower, self.sharding.extents, strict=True)]
        return self._lowering.stream(StreamType.get(tile, over), depth, name, key)

    def local(self, value: SSAValue) -> SSAValue:
        """Insert the view of the instance's own shard."""
        return self.body.op(LocalOp(value, self.point))

    def digit(self, step: ShardStep) -> Index:
        """Return the digit of the instance's coordinate that a step counts."""
        low, extent = self.sharding.lower[step.dim], self.sharding.extents[step.dim]
        behind = self.body.add(self.point[step.dim], -low)
        digit = self.body.div_unsigned(behind, step.stride)
        return digit if step.stride * step.extent == extent else self.body.rem_unsigned(digit, step.extent)

    def neighbour(self, dim: int, by: int, ring: int) -> list[SSAValue]:
        """Return the coordinates of a neighbour in the instance's ring along the coordinate."""
        body = self.body
        low, extent = self.sharding.lower[dim], self.sharding.extents[dim]
        ahead: Index = body.rem_unsigned(body.add(self.point[dim], (by - low) % ring), ring)
        first: Index = low
        if ring != extent:
            behind = body.add(self.point[dim], -low)
            first = body.add(body.mul(body.div_unsigned(behind, ring), ring), low)
        point = list(self.point)
        point[dim] = body.value(ahead if first == 0 else body.add(body.value(ahead), first))
        return point

    def beyond(self, dim: int, by: int) -> list[SSAValue]:
        """Return the coordinates of a neighbour that is known to exist."""
        point = list(self.point)
        point[dim] = self.body.add(self.point[dim], by)
        return point

    def finish(self, title: str) -> None:
        """Replace the op by the program."""
        program = ProgramOp(title, Region(self.block), self._engine(), self.sharding.extents, self.sharding.lower)
        self.outer.insert(ConcurrentOp([program]))
        program.location = self._op.location
        Rewriter.erase_op(self._op)

    def _engine(self) -> str | None:
        """Return the engine whose instances compute in the level of the shards, None where there is none."""
        for engine in self._lowering.engines:
            if len(engine.count) == len(self.sharding.over) and self.sharding.level in engine.levels_of():
                return engine.name
        return None


def start_transfer(writer: Writer, source: SSAValue, target: SSAValue) -> SSAValue:
    """Insert the issue of a transfer of a whole shard; return its token."""
    return writer.op(DmaStartOp(source, [writer.value(0)] * len(shape_of(source)), target))


def move(writer: Writer, source: SSAValue, target: SSAValue) -> None:
    """Insert a transfer of a whole shard."""
    writer.wait(start_transfer(writer, source, target))


def send(writer: Writer, source: SSAValue, stream: SSAValue, point: Sequence[SSAValue]) -> None:
    """Insert the transfer of a shard to a slot of another instance."""
    slot = writer.op(ReserveOp(stream, point))
    move(writer, source, slot)
    writer.insert(PushOp(stream, point))


def as_shard(writer: Writer, slot: SSAValue, like: SSAValue) -> SSAValue:
    """Insert the view of a slot of bytes as a shard of the type of another one."""
    return writer.op(memref.ViewOp(slot, writer.value(0), [], cast(Any, like.type)))


def ring_of(op: ShiftOp | AllGatherOp) -> tuple[Any, ...]:
    """Return the key of shifts that one program does: the instances, the coordinate and the distance."""
    sharding = op.shardings[0]
    extent = op.ring
    ahead = op.by.data % extent if isinstance(op, ShiftOp) else 1
    return sharding.level, sharding.over, sharding.lower, sharding.extents, op.dim, ahead, extent
