"""
Lowering of ops on sharded values to replicated programs with streams between neighbours.

    hier.shift %k to %k along 1 by -1

becomes

    %ring = hier.stream depth 1 : !hier.stream<memref<1x16x32xi8, "NODE"> over [4, 4]>
    hier.concurrent {
      hier.program "shift" on "array" over (%h, %p) in [4, 4] {
        ...hier.local %k[%h, %p] to a slot of %ring[%h, %left], a slot of %ring[%h, %p] to hier.local %k[%h, %p]...
      }
    }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import Index
from ..dialects.hier import (
    AllGatherOp,
    BroadcastOp,
    DmaStartOp,
    LocalOp,
    PopOp,
    PushOp,
    ReduceOp,
    ReleaseOp,
    ReserveOp,
    ResidentOp,
    ShiftOp,
)
from ..dialects.hier.sharded import is_sharded, shard_type, sharding_of
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass
from .sharding.gathering import lower_all_gather
from .sharding.instances import Instance, Lowering, as_shard, move, ring_of, send, start_transfer

KERNELS: dict[str, Callable[..., Operation]] = {
    "add": linalg.AddOp,
    "mul": linalg.MulOp,
    "max": linalg.MaxOp,
    "min": linalg.MinOp,
}
"""Kind of a reduction -> its kernel."""


def _lower_copy(op: memref.CopyOp, lowering: Lowering) -> None:
    """Lower a copy between a sharded value and one that is not: each instance moves its own shard."""
    scatters, gathers = is_sharded(op.destination.type), is_sharded(op.source.type)
    value = op.destination if scatters else op.source
    sharding = sharding_of(value.type)
    instance = Instance(op, sharding, lowering)
    body = instance.body
    if scatters and gathers:
        if sharding_of(op.source.type) != sharding:
            raise Diagnostic(
                "a copy between values that are sharded in different ways",
                where=where(op),
                expected=str(op.destination.type),
                found=str(op.source.type),
                remedy="use hier.shift, hier.broadcast or hier.reduce, or copy by way of the far level",
            )
        move(body, instance.local(op.source), instance.local(op.destination))
        instance.finish("copy")
        return
    offsets: list[SSAValue] = []
    for axis in sharding.axes:
        at: Index = axis.first
        for step in axis.steps:
            at = body.add(body.mul(instance.digit(step), step.elements), at)
        offsets.append(body.value(at))
    far = op.source if scatters else op.destination
    body.wait(body.op(DmaStartOp(far, offsets, instance.local(value), writes_far=gathers)))
    instance.finish("scatter" if scatters else "gather")


def _lower_shifts(ops: Sequence[ShiftOp], lowering: Lowering) -> None:
    """Lower shifts of separate values to steps round the ring of the instances, in the shorter direction."""
    sharding, dim, extent = ops[0].shardings[0], ops[0].dim, ring_of(ops[0])[-1]
    instance = Instance(ops[0], sharding, lowering)
    body, ahead = instance.body, ops[0].by.data % extent
    steps, by = (ahead, 1) if 2 * ahead <= extent else (extent - ahead, -1)
    locals = [instance.local(op.source) for op in ops]
    if not steps:
        for op, own in zip(ops, locals, strict=True):
            move(body, own, instance.local(op.target))
    else:
        rings = [instance.ring(ring_of(op), number, min(steps, 2)) for number, op in enumerate(ops)]
        _pass_round(instance, list(zip(ops, locals, rings, strict=True)), instance.neighbour(dim, by, extent), steps)
    for op in ops[1:]:
        Rewriter.erase_op(op)
    instance.finish("shift")


def _together(op: ShiftOp) -> list[ShiftOp]:
    """Return a shift and those after it round the same ring, of values that are neither source nor target before."""
    shifts, used = [op], {op.source, op.target}
    following = op.next_op
    while isinstance(following, ShiftOp) and ring_of(following) == ring_of(op):
        if used & {following.source, following.target}:
            break
        shifts.append(following)
        used |= {following.source, following.target}
        following = following.next_op
    return shifts


def _pass_round(
    instance: Instance,
    parts: Sequence[tuple[ShiftOp, SSAValue, SSAValue]],
    after: Sequence[SSAValue],
    steps: int,
) -> None:
    """Insert the steps round a ring, for shifts with their shards and streams: all are in flight at once."""
    body, sent, taken = instance.body, list[SSAValue](), list[SSAValue]()
    for _, own, ring in parts:
        slot = body.op(ReserveOp(ring, after))
        sent.append(start_transfer(body, own, as_shard(body, slot, own)))
    for token, (_, _, ring) in zip(sent, parts, strict=True):
        body.wait(token)
        body.insert(PushOp(ring, after))
    for _, own, ring in parts if steps > 1 else ():
        with body.loop(None, 1, steps):
            shard = as_shard(body, body.op(PopOp(ring, instance.point)), own)
            slot = body.op(ReserveOp(ring, after))
            move(body, shard, as_shard(body, slot, own))
            body.insert(PushOp(ring, after))
            body.insert(ReleaseOp(ring, instance.point))
    for op, _, ring in parts:
        last, target = body.op(PopOp(ring, instance.point)), instance.local(op.target)
        taken.append(start_transfer(body, as_shard(body, last, target), target))
    for token, (_, _, ring) in zip(taken, parts, strict=True):
        body.wait(token)
        body.insert(ReleaseOp(ring, instance.point))


def _lower_broadcast(op: BroadcastOp, lowering: Lowering) -> None:
    """Lower a broadcast to chains from the instance that holds the source to both ends."""
    (source, target), dim = op.shardings, op.dim
    instance = Instance(op, target, lowering)
    body = instance.body
    origin, first = source.lower[dim], target.lower[dim]
    last = first + target.extents[dim] - 1
    sides = [(by, end) for by, end in ((1, last), (-1, first)) if origin != end]
    chains = {by: instance.stream(op.source, "up" if by > 0 else "down") for by, _ in sides}

    with body.when(body.equals(instance.point[dim], origin)):
        own = instance.local(op.source)
        for by, _ in sides:
            send(body, own, chains[by], instance.beyond(dim, by))
        move(body, own, instance.local(op.target))

    def keep(tile: SSAValue) -> None:
        move(body, tile, instance.local(op.target))

    for by, end in sides:
        _pass_on(instance, chains[by], (dim, by, origin, end), keep)
    instance.finish("broadcast")


def _pass_on(
    instance: Instance,
    chain: SSAValue,
    path: tuple[int, int, int, int],
    use: Callable[[SSAValue], None],
) -> None:
    """
    Insert the steps of the instances after the first one of a chain: take the tile, pass it on, use it.

    A path is the coordinate, the direction, and the coordinates of the first and of the last instance.
    """
    dim, by, first, end = path
    low, high = sorted((first + by, end))
    body = instance.body
    with body.when(body.within(instance.point[dim], low, high)):
        tile = body.op(PopOp(chain, instance.point))
        if abs(end - first) > 1:
            inner = sorted((first + by, end - by))
            with body.when(body.within(instance.point[dim], inner[0], inner[1])):
                send(body, tile, chain, instance.beyond(dim, by))
        use(tile)
        body.insert(ReleaseOp(chain, instance.point))


def _lower_reduce(op: ReduceOp, lowering: Lowering) -> None:
    """Lower a reduction to a chain from the first instance to the last, and back to those that get the result."""
    (source, target), dim = op.shardings, op.dim
    instance = Instance(op, source, lowering)
    body = instance.body
    first, last = source.lower[dim], source.lower[dim] + source.extents[dim] - 1
    own = instance.local(op.source)
    end = target.lower[dim]

    def give(total: SSAValue) -> None:
        if op.is_for_all:
            move(body, total, instance.local(op.target))
            return
        with body.when(body.equals(instance.point[dim], end)):
            move(body, total, instance.local(op.target))

    if first == last:
        give(own)
        instance.finish("reduce")
        return
    sums = instance.stream(op.source, "sums")
    back = instance.stream(op.source, "back") if end != last else None
    tile = shard_type(cast("MemRefType[Any]", op.source.type))
    total = body.op(
        memref.AllocaOp.get(tile.get_element_type(), shape=tile.get_shape(), memory_space=tile.memory_space)
    )

    with body.when(body.equals(instance.point[dim], first)):
        send(body, own, sums, instance.beyond(dim, 1))
    with body.when(body.within(instance.point[dim], first + 1, last)):
        partial = body.op(PopOp(sums, instance.point))
        body.insert(KERNELS[op.kind.data]([partial, own], [total], []))
        body.insert(ReleaseOp(sums, instance.point))
        if last - first > 1:
            with body.when(body.within(instance.point[dim], first + 1, last - 1)):
                send(body, total, sums, instance.beyond(dim, 1))
    with body.when(body.equals(instance.point[dim], last)):
        if back is not None:
            send(body, total, back, instance.beyond(dim, -1))
        give(total)
    if back is not None:
        _pass_on(instance, back, (dim, -1, last, end), give)
    instance.finish("reduce")


_LOWERINGS: dict[type[Operation], Callable[[Any, Lowering], None]] = {
    memref.CopyOp: _lower_copy,
    ShiftOp: lambda op, lowering: _lower_shifts(_together(op), lowering),
    AllGatherOp: lower_all_gather,
    BroadcastOp: _lower_broadcast,
    ReduceOp: _lower_reduce,
}
"""Op class -> its lowering to a replicated program."""


def lower_sharded(function: FuncOp, machine: Machine | None) -> None:
    """Lower the ops of a function on sharded values. Raises Diagnostic for others than those that move shards."""
    for argument in function.body.block.args:
        if is_sharded(argument.type):
            raise Diagnostic(
                f"argument {argument.index} is sharded",
                where=where(function),
                expected="arguments that their callers see as a whole",
                found=str(argument.type),
                remedy="copy an argument in the far level to a sharded buffer (memref.copy)",
            )
    lowering = Lowering(function, machine)
    for op in list(filter(_is_on_shards, nested_ops(function))):
        if op.parent is not None:
            _lower(op, lowering)
    lowering.finish()


def _is_on_shards(op: Operation) -> bool:
    return any(map(is_sharded, (*op.operand_types, *op.result_types)))


def _lower(op: Operation, lowering: Lowering) -> None:
    """Lower one op with sharded operands or results."""
    if isinstance(op, memref.AllocOp):
        whole = cast("MemRefType[Any]", op.memref.type)
        local = memref.AllocaOp.get(whole.get_element_type(), shape=whole.get_shape(), memory_space=whole.memory_space)
        local.memref.name_hint, local.location = op.memref.name_hint, op.location
        Rewriter.replace_op(op, local)
    elif isinstance(op, memref.DeallocOp):
        Rewriter.erase_op(op)
    elif (lower := _LOWERINGS.get(type(op))) is not None:
        lower(op, lowering)
    elif not isinstance(op, LocalOp | ResidentOp | memref.AllocaOp):
        raise Diagnostic(
            f"'{op.name}' accesses values that are sharded",
            where=where(op),
            expected=", ".join(kind.name for kind in (*_LOWERINGS, LocalOp, ResidentOp)),
            remedy="compute on the shards (hier.local) in a program that is replicated over the instances",
        )


@dataclass(frozen=True)
class LowerShardedPass(Pass):
    """
    Lower the ops that move the shards of values between instances to replicated programs with streams.

    Shards move between neighbours: a shift and a gathering in steps round the ring of a coordinate, a broadcast and a
    reduction from instance to instance. A copy between a sharded value and a buffer of another level moves each shard
    by itself. The programs run on the engine of the module's machine that computes in the level, if there is one.
    """

    name = "lower-sharded"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op) if ATTRIBUTE in op.attributes else None
        for function in functions(op):
            lower_sharded(function, machine)
