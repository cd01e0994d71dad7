"""Lowering of `hier.all_gather`: a ring all-gather, in which each instance stores each shard and passes it on."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects.core.scalars import Index
from ...dialects.hier import AllGatherOp, DmaStartOp, PopOp, PushOp, ReleaseOp, ReserveOp
from ...ir import shape_of
from .instances import Instance, Lowering, as_shard, ring_of, start_transfer
from .programs import in_shape


def lower_all_gather(op: AllGatherOp, lowering: Lowering) -> None:
    """Lower a gathering to steps round the ring: each instance keeps a shard while it passes it on."""
    instance = Instance(op, op.shardings[0], lowering)
    _Gathering(op, instance).build()
    instance.finish("all_gather")


class _Gathering:
    """Builder of the steps of one instance: `own` is its shard, `whole` its gathered value, in the shape of shards."""

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
            body.wait(self._keep(self._own, 0))
            return
        self._ring = self._instance.ring(ring_of(op), 0, min(rounds * op.stride, 2))
        self._after = self._instance.neighbour(op.dim, 1, op.ring)
        sent, kept = self._pass_on(self._own), self._keep(self._own, 0)
        body.wait(sent)
        body.insert(PushOp(self._ring, self._after))
        body.wait(kept)
        if rounds > 1:
            with body.loop(None, 1, rounds, kept=True) as ago:
                self._between()
                self._take(ago)
        self._between()
        self._take(rounds, passes=False)

    def _between(self) -> None:
        """Append the hops to instances that only pass the shard on."""
        if self._op.stride > 1:
            with self._body.loop(None, 1, self._op.stride, kept=True):
                self._take(None)

    def _take(self, ago: Index | None, *, passes: bool = True) -> None:
        """Append a step: pop a shard, pass it on and, unless `ago` is None, keep it meanwhile."""
        body = self._body
        shard = as_shard(body, body.op(PopOp(self._ring, self._instance.point)), self._own)
        sent = self._pass_on(shard) if passes else None
        kept = self._keep(shard, ago) if ago is not None else None
        if sent is not None:
            body.wait(sent)
            body.insert(PushOp(self._ring, self._after))
        if kept is not None:
            body.wait(kept)
        body.insert(ReleaseOp(self._ring, self._instance.point))

    def _pass_on(self, shard: SSAValue) -> SSAValue:
        """Append the issue of the transfer to a slot of the next instance; return its token."""
        slot = self._body.op(ReserveOp(self._ring, self._after))
        return start_transfer(self._body, shard, as_shard(self._body, slot, self._own))

    def _keep(self, shard: SSAValue, ago: Index) -> SSAValue:
        """Append the transfer that stores the shard received so many rounds ago; return its token."""
        body, op = self._body, self._op
        offsets: list[Index] = [0] * len(self._shape)
        size = shape_of(self._own)[op.axis.data]
        offsets[op.axis.data] = body.mul(body.rem_unsigned(body.sub(self._place, ago), op.count), size)
        return body.op(DmaStartOp(self._whole, [body.value(offset) for offset in offsets], shard, writes_far=True))
