"""
Hoisting of configuration registers: an instruction that sets them moves out of functions, loops and branches.

    scf.for %i = %c0 to %c4 step %c1 {
      func.call @load(%far, %near)        // sets a stride, then loads
    }

becomes

    toy.configure %far {stride = array<i64: 0, 1>}
    scf.for %i = %c0 to %c4 step %c1 {
      func.call @load(%far, %near)
    }

The core then sets a register once, while the queues still execute what was issued before.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.scf import ForOp, IfOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.effects import is_speculatable
from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .configuration.registers import Register, is_configuration
from .configuration.summaries import Summaries, calls_of, in_order, runs
from .core.base import Pass


def hoist_configuration(module: ModuleOp) -> None:
    """Move instructions that set configuration registers out of functions, loops and branches, as far as possible."""
    summaries, callers = Summaries(module), calls_of(module)
    if not summaries.registers:
        return
    pending = list(functions(module))
    while pending:
        function = pending.pop(0)
        if not function.body.blocks:
            continue
        while any([_leave(op, summaries) for op in _regions(function)]):
            pass
        if (calls := callers.get(function)) and _lift_to_calls(function, calls, summaries):
            around = [_function_of(call) for call in calls]
            pending += [caller for caller in dict.fromkeys(around) if caller not in pending]


def _regions(function: FuncOp) -> Sequence[Operation]:
    """Return the loops and branches of a function, inner ones first."""
    return [op for op in nested_ops(function.body) if isinstance(op, ForOp | IfOp)][::-1]


def _function_of(op: Operation) -> FuncOp:
    parent = op.parent_op()
    while not isinstance(parent, FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _settings(block: Block) -> list[Operation]:
    return [op for op in block.ops if is_configuration(op)]


def _is_first(op: Operation, registers: Set[Register], summaries: Summaries) -> bool:
    """Return whether nothing before an op in its block reads or writes the registers."""
    before, at = list[Operation](), op.prev_op
    while at is not None:
        before.append(at)
        at = at.prev_op
    return not any((summary := summaries.of(inner)).reads & registers or summary.may & registers for inner in before)


def _chain(op: Operation) -> list[Operation] | None:
    """
    Return the ops of the same block on whose results an op depends, in order.

    None where one cannot be computed earlier, or depends on an argument of a loop's block. Those of a function's block
    have a value at each call.
    """
    block, definitions, pending = op.parent, set[Operation](), list(op.operands)
    assert block is not None
    is_function = isinstance(block.parent_op(), FuncOp)
    while pending:
        value = pending.pop()
        if isinstance(value, BlockArgument):
            if value.owner is block and not is_function:
                return None
            continue
        owner = value.owner
        assert isinstance(owner, Operation)
        if owner.parent is not block or owner in definitions:
            continue
        if not is_speculatable(owner):
            return None
        definitions.add(owner)
        pending += owner.operands
    return [inner for inner in block.ops if inner in definitions]


def _leave(parent: Operation, summaries: Summaries) -> bool:
    """Move instructions that set registers out of a loop or a branch, and return whether any has moved."""
    moved = False
    for region in parent.regions:
        for op in _settings(region.block) if region.blocks else ():
            values = summaries.values(op)
            if values is None or not _may_leave(op, parent, values.keys(), summaries):
                continue
            chain = _chain(op)
            if chain is None:
                continue
            _clone([*chain, op], {}, InsertPoint.before(parent))
            Rewriter.erase_op(op)
            summaries.changed(parent)
            moved = True
    return moved


def _may_leave(op: Operation, parent: Operation, registers: Set[Register], summaries: Summaries) -> bool:
    """Return whether registers may be set before a loop or branch instead of at the begin of its block."""
    if not _is_first(op, registers, summaries):
        return False
    if isinstance(parent, ForOp):
        others = [other for other in parent.body.block.ops if other is not op]
        if any(summaries.of(other).may & registers for other in others):
            return False
        return runs(parent) or not _live_behind(parent, registers, summaries)
    others = [region.block for region in parent.regions if region.blocks and region.block is not op.parent]
    if any(summaries.of_block(block).exposed & registers for block in others):
        return False
    rest = registers - in_order(map(summaries.of_block, others)).must if others else registers
    return not rest or not _live_behind(parent, rest, summaries)


def _live_behind(op: Operation, registers: Set[Register], summaries: Summaries) -> bool:
    """Return whether registers may be read behind an op before they are written."""
    left, at = registers, op.next_op
    while at is not None and left:
        summary = summaries.of(at)
        if summary.exposed & left:
            return True
        left, at = left - summary.must, at.next_op
    parent = op.parent_op()
    if not left:
        return False
    if isinstance(parent, ForOp):
        again = summaries.of_block(parent.body.block)
        return bool(again.exposed & left) or _live_behind(parent, left, summaries)
    if isinstance(parent, IfOp):
        return _live_behind(parent, left, summaries)
    is_private = isinstance(parent, FuncOp) and parent.sym_visibility is not None
    return not isinstance(parent, FuncOp) or is_private


def _lift_to_calls(function: FuncOp, calls: list[CallOp], summaries: Summaries) -> bool:
    """Move instructions that set registers from the begin of a function before its calls."""
    moved = False
    for op in _settings(function.body.block):
        values = summaries.values(op)
        if values is None or not _is_first(op, values.keys(), summaries):
            continue
        chain = _chain(op)
        if chain is None:
            continue
        for call in calls:
            mapping: dict[SSAValue, SSAValue] = dict(zip(function.body.block.args, call.arguments, strict=True))
            _clone([*chain, op], mapping, InsertPoint.before(call))
        Rewriter.erase_op(op)
        summaries.changed(function)
        moved = True
    return moved


def _clone(ops: list[Operation], mapping: dict[SSAValue, SSAValue], place: InsertPoint) -> None:
    """Insert copies of ops at a place, with the values that stand there for theirs."""
    for op in ops:
        clone = op.clone(mapping)
        clone.location = op.location
        Rewriter.insert_op(clone, place)


@dataclass(frozen=True)
class HoistConfigurationPass(Pass):
    """
    Hoist instructions that set configuration registers out of functions, loops and branches.

    One leaves a function for all of its calls, where no instruction before it accesses its registers; a loop, where
    nothing else there writes them; a branch or a loop that may not run, where nothing reads them behind. Values that
    depend on data stay. Follow it with `deduplicate-configuration`.
    """

    name = "hoist-configuration"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoist_configuration(op)
