"""
Ownership analysis of tensors for in-place updates.

Tensors are immutable arrays. A loop that inserts elements would copy the tensor in each iteration; so an array that a
loop or an insertion owns is handed over to the op of its last use.
"""

from __future__ import annotations

from xdsl.dialects import scf, tensor
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ...dialects.core.kernel import is_kernel

_MAKERS = (scf.ForOp, tensor.InsertOp, tensor.InsertSliceOp)


def takes_over(op: Operation, value: SSAValue) -> bool:
    """Return whether an op may clobber a tensor's array: it is owned, and this is its last use."""
    if not _is_own(value) or _block_of(value) is not op.parent:
        return False
    users = [use.operation for use in value.uses]
    return users.count(op) == 1 and all(user is op or _reads_before(user, op) for user in users)


def _is_own(value: SSAValue) -> bool:
    """Return whether a tensor owns its array; loop-carried tensors do."""
    if isinstance(value, OpResult):
        return isinstance(value.op, _MAKERS)
    return isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), scf.ForOp)


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _reads_before(user: Operation, op: Operation) -> bool:
    """Return whether a user retains no view of a tensor, and precedes an op of the tensor's block."""
    if not isinstance(user, tensor.ExtractOp) and not is_kernel(user):
        return False
    around: Operation | None = user
    while around is not None and around.parent is not op.parent:
        around = around.parent_op()
    return around is not None and around.is_before_in_block(op)


def inserts_in_place(op: tensor.InsertOp | tensor.InsertSliceOp) -> bool:
    """Return whether an insertion may update its destination in place."""
    return takes_over(op, op.dest)


def keeps_inits(op: scf.ForOp) -> tuple[bool, ...]:
    """Return, per initial value of a loop, whether it is handed over without a copy."""
    return tuple(takes_over(op, init) for init in op.iter_args)


def keeps_yields(op: scf.ForOp) -> tuple[bool, ...]:
    """Return, per yielded value of a loop, whether it is handed over without a copy."""
    last = op.body.block.last_op
    return tuple(takes_over(last, value) for value in last.operands) if last is not None else ()
