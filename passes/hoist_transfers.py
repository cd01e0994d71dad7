"""
Early issue of transfers in concurrent programs: a transfer is in flight while kernels before it run.

    func.call @step(%own, ...)
    %slot = hier.reserve %ring[%left]
    %t = hier.dma_start %own[%zero] to %slot
    hier.dma_wait %t

becomes

    %slot = hier.reserve %ring[%left]
    %t = hier.dma_start %own[%zero] to %slot
    func.call @step(%own, ...)
    hier.dma_wait %t

A reservation passes no op of another stream, so that programs block as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.effects import EffectAnalysis, Effects, root_of
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import DmaStartOp, DmaWaitOp, ProgramOp, ReserveOp
from .core.base import Pass
from .overlap.regions import region_of


def hoist_transfers(module: ModuleOp) -> None:
    """Move the transfers of concurrent programs up, in their blocks, to the first place where their data are there."""
    analysis = EffectAnalysis()
    for program in [op for op in nested_ops(module) if isinstance(op, ProgramOp)]:
        for op in nested_ops(program):
            if isinstance(op, DmaStartOp):
                _hoist(op, analysis)


def _hoist(transfer: DmaStartOp, analysis: EffectAnalysis) -> None:
    """Move one transfer up, with the reservation of its target, and the index arithmetic of both."""
    moved = _needed(transfer, analysis)
    anchor, at = None, transfer.prev_op
    while at is not None and (at in moved or _can_pass(transfer, at, moved, analysis)):
        anchor = at if at not in moved and _takes_time(at, analysis) else anchor
        at = at.prev_op
    if anchor is None:
        return
    for op in _between(anchor, transfer):
        if op in moved:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(anchor))


def _between(first: Operation, last: Operation) -> Sequence[Operation]:
    """Return the ops of a block from one to another, in order."""
    ops = [last]
    while ops[-1] is not first and (before := ops[-1].prev_op) is not None:
        ops.append(before)
    return ops[::-1]


def _takes_time(op: Operation, analysis: EffectAnalysis) -> bool:
    """Return whether an op waits, or accesses memory other than by a transfer."""
    effects = analysis.of(op)
    return isinstance(op, DmaWaitOp) or (bool(effects.reads or effects.writes) and not isinstance(op, DmaStartOp))


def _needed(transfer: DmaStartOp, analysis: EffectAnalysis) -> set[Operation]:
    """Return the ops of the block that move with a transfer: the reservation of its target, and index arithmetic."""
    moved: set[Operation] = set()
    pending: list[Operation] = [transfer]
    while pending:
        op = pending.pop()
        if op in moved:
            continue
        is_own = op is transfer or (isinstance(op, ReserveOp) and op.slot == root_of(transfer.target))
        if not is_own and not analysis.of(op).is_none:
            continue
        moved.add(op)
        owners = (value.owner for value in op.operands)
        pending += [owner for owner in owners if isinstance(owner, Operation) and owner.parent is transfer.parent]
    return moved


def _can_pass(transfer: DmaStartOp, op: Operation, moved: set[Operation], analysis: EffectAnalysis) -> bool:
    """Return whether a transfer may be issued before an op, instead of after it."""
    if any(value.owner is op for hoisted in moved for value in hoisted.operands):
        return False
    effects = analysis.of(op)
    if isinstance(op, DmaWaitOp):
        started = op.token.owner
        effects = analysis.of(started) if isinstance(started, DmaStartOp) else Effects(is_known=False)
    if not effects.is_known or not effects.only_on_values:
        return False
    is_source_kept = not any(_may_overlap(transfer.source, value) for value in effects.writes)
    return is_source_kept and not any(
        _may_overlap(transfer.target, value) for value in (*effects.reads, *effects.writes)
    )


def _may_overlap(a: SSAValue, b: SSAValue) -> bool:
    """Return whether two buffers may have common bytes: of one memory, and not of separate byte ranges of it."""
    if root_of(a) is not root_of(b):
        return False
    first, second = region_of(a), region_of(b)
    return first is None or second is None or first.meets(second)


@dataclass(frozen=True)
class HoistTransfersPass(Pass):
    """
    Issue the transfers of concurrent programs as early as their data allow.

    A transfer passes kernels, other transfers and their waits, but no access to the bytes of its target, and no write
    to those of its source. Shards that allocate-sharded places in one memory have separate bytes.
    """

    name = "hoist-transfers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoist_transfers(op)
