"""
Ownership of tensors: those that may be updated in place, as loop-carried ones without later uses.

A tensor is an array that nobody writes to. But a loop that puts one element after the other into a tensor would copy it
in each turn; so an array that a loop or an insertion has made for itself goes over to the op that uses it last.
"""

from __future__ import annotations

from xdsl.dialects import scf, tensor
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ...dialects.core.kernel import is_kernel

_MAKERS = (scf.ForOp, tensor.InsertOp, tensor.InsertSliceOp)


def takes_over(op: Operation, value: SSAValue) -> bool:
    """Return whether an op that uses a tensor may change its array: it is the tensor's own, and needed no more."""
    if not _is_own(value) or _home(value) is not op.parent:
        return False
    users = [use.operation for use in value.uses]
    return users.count(op) == 1 and all(user is op or _reads_before(user, op) for user in users)


def _is_own(value: SSAValue) -> bool:
    """Return whether the array of a tensor is nobody else's: loops see to it that what they carry is such."""
    if isinstance(value, OpResult):
        return isinstance(value.op, _MAKERS)
    return isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), scf.ForOp)


def _home(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _reads_before(user: Operation, op: Operation) -> bool:
    """Return whether a user of a tensor keeps no view of it, and is done when an op of the tensor's block runs."""
    if not isinstance(user, tensor.ExtractOp) and not is_kernel(user):
        return False
    around: Operation | None = user
    while around is not None and around.parent is not op.parent:
        around = around.parent_op()
    return around is not None and around.is_before_in_block(op)


def inserts_in_place(op: tensor.InsertOp | tensor.InsertSliceOp) -> bool:
    """Return whether an insertion may change the array of its destination."""
    return takes_over(op, op.dest)


def keeps_inits(op: scf.ForOp) -> tuple[bool, ...]:
    """Return for each value that a loop begins with whether it may be handed over as it is."""
    return tuple(takes_over(op, init) for init in op.iter_args)


def keeps_yields(op: scf.ForOp) -> tuple[bool, ...]:
    """Return for each value that a turn of a loop ends with whether it may be handed over as it is."""
    last = op.body.block.last_op
    return tuple(takes_over(last, value) for value in last.operands) if last is not None else ()
