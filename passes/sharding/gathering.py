"""Lowering of `hier.all_gather`: shards go round a ring of instances, each of which keeps what it passes on."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from ...dialects.core.scalars import Index
from ...dialects.hier import AllGatherOp, DmaStartOp, PopOp, PushOp, ReleaseOp, ReserveOp
from ...ir import shape_of
from ..grids.writer import Writer
from .instances import Instance, Lowering, as_shard, ring_of, start_transfer
from .programs import in_shape


def lower_all_gather(op: AllGatherOp, lowering: Lowering) -> None:
    """Lower a gathering to steps round the ring: each instance keeps a shard while it passes it on."""
    instance = Instance(op, op.shardings[0], lowering)
    _Gathering(op, instance).build()
    instance.finish("all_gather")


class _Gathering:
    """Builder of the steps of one instance: `own` is its shard, `whole` what it gathers, in the shape of shards."""

    def __init__(self, op: AllGatherOp, instance: Instance):
        self._op, self._instance, self._body = op, instance, instance.body
        self._own = instance.local(op.source)
        self._shape = list(shape_of(self._own))
        self._shape[op.axis.data] *= op.count
        self._whole = in_shape(self._body, instance.local(op.target), self._shape)
        self._place = self._body.add(instance.digit(op.step), op.count)

    def build(self) -> None:
        """Append the steps: the own shard, one from each of the others, the last of which is not passed on."""
        op, body, rounds = self._op, self._body, self._op.count - 1
        if not rounds:
            body.wait(self._keep(body, self._own, 0))
            return
        self._ring = self._instance.ring(ring_of(op), 0, min(rounds * op.stride, 2))
        self._after = self._instance.neighbour(body, op.dim, 1, op.ring)
        sent, kept = self._pass_on(body, self._own), self._keep(body, self._own, 0)
        body.wait(sent)
        body.effect(PushOp(self._ring, self._after))
        body.wait(kept)
        _repeat(body, rounds, self._round)
        self._between(body)
        self._take(body, rounds, passes=False)

    def _round(self, writer: Writer, ago: SSAValue) -> None:
        """Append the hops of a shard from the instance before, `ago` rounds after its own."""
        self._between(writer)
        self._take(writer, ago)

    def _between(self, writer: Writer) -> None:
        """Append the hops to instances that only pass the shard on."""
        _repeat(writer, self._op.stride, lambda inner, _: self._take(inner, None))

    def _take(self, writer: Writer, ago: SSAValue | int | None, *, passes: bool = True) -> None:
        """Append a step: pop a shard, pass it on and, unless `ago` is None, keep it meanwhile."""
        shard = as_shard(writer, writer.op(PopOp(self._ring, self._instance.point)), self._own)
        sent = self._pass_on(writer, shard) if passes else None
        kept = self._keep(writer, shard, ago) if ago is not None else None
        if sent is not None:
            writer.wait(sent)
            writer.effect(PushOp(self._ring, self._after))
        if kept is not None:
            writer.wait(kept)
        writer.effect(ReleaseOp(self._ring, self._instance.point))

    def _pass_on(self, writer: Writer, shard: SSAValue) -> SSAValue:
        """Append the issue of the transfer to a slot of the next instance; return its token."""
        slot = writer.op(ReserveOp(self._ring, self._after))
        return start_transfer(writer, shard, as_shard(writer, slot, self._own))

    def _keep(self, writer: Writer, shard: SSAValue, ago: SSAValue | int) -> SSAValue:
        """Append the issue of the transfer to the place of a shard from so many rounds ago; return its token."""
        place, op = self._place, self._op
        at = writer.add(place, -ago) if isinstance(ago, int) else writer.op(arith.SubiOp(writer.value(place), ago))
        offsets: list[Index] = [0] * len(self._shape)
        size = shape_of(self._own)[op.axis.data]
        offsets[op.axis.data] = writer.multiply(writer.remainder(at, op.count), size)
        return writer.op(DmaStartOp(self._whole, [writer.value(each) for each in offsets], shard, writes_far=True))


def _repeat(writer: Writer, end: int, step: Callable[[Writer, SSAValue], None]) -> None:
    """Append a loop from 1 to `end`, if it has iterations."""
    if end <= 1:
        return
    block = Block(arg_types=[IndexType()])
    inner = writer.at_end_of(block)
    step(inner, block.args[0])
    inner.effect(scf.YieldOp())
    writer.effect(scf.ForOp(writer.value(1), writer.value(end), writer.value(1), [], Region(block)))
