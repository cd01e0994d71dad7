"""Liveness of local variables in a C function: dead ops are those whose results nothing reads."""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue

from ....dialects import emitc
from ....dialects.core.nesting import nested_ops
from .effects import may_write

_PARTS = (emitc.SubscriptOp, emitc.CastOp)
"""Ops whose result is a part of their first operand, or a pointer to it."""


def dead_ops(root: Region | Block) -> set[Operation]:
    """
    Return the ops on local variables and values that no effect depends on.

    A variable or local array is alive if a live op reads it, and with it the assignments to it: `v = v + 1` alone is
    dead.
    """
    ops = nested_ops(root)
    unmarked = {op for op in ops if _is_removable(op)}
    assignments: dict[SSAValue, list[Operation]] = {}
    for op in unmarked:
        if isinstance(op, emitc.AssignOp):
            assignments.setdefault(_assigned(op.var), []).append(op)
    pending = [op for op in ops if op not in unmarked]
    while pending:
        op = pending.pop()
        owners = [operand.owner for operand in op.operands]
        needed = [owner for owner in owners if isinstance(owner, Operation)]
        if isinstance(op, emitc.VariableOp):
            needed += assignments.get(op.results[0], [])
        pending += [op for op in needed if op in unmarked]
        unmarked.difference_update(needed)
    return unmarked


def _assigned(lvalue: SSAValue) -> SSAValue:
    """Return the variable or array that an lvalue is part of."""
    owner = lvalue.owner
    while isinstance(owner, _PARTS):
        lvalue = owner.operands[0]
        owner = lvalue.owner
    return lvalue


def _is_removable(op: Operation) -> bool:
    """Return whether an op has no effect but on a local variable."""
    if isinstance(op, emitc.AssignOp):
        return isinstance(_assigned(op.var).owner, emitc.VariableOp)
    if isinstance(op, emitc.VariableOp):
        return True
    return len(op.results) == 1 and not op.regions and not may_write(op)
