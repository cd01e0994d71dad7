"""Walks over nested ops."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region


def module_of(op: Operation) -> ModuleOp | None:
    """Return the innermost module around an op, None if there is none."""
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    return module


def nested_ops(root: Operation | Region | Block) -> list[Operation]:
    """
    Return the ops of a region or block, or an op and those nested in it, in the order in which they are printed.

    The walk has ended before the caller sees its first op, so that ops may be erased and inserted on the way. xDSL's
    own `walk` is lazy, and takes three times as long.
    """
    ops: list[Operation] = []
    match root:
        case Operation():
            ops.append(root)
            for region in root.regions:
                _collect(region.first_block, ops)
        case Region():
            _collect(root.first_block, ops)
        case Block():
            _collect_ops(root, ops)
    return ops


def _collect(block: Block | None, ops: list[Operation]) -> None:
    while block is not None:
        _collect_ops(block, ops)
        block = block.next_block


def _collect_ops(block: Block, ops: list[Operation]) -> None:
    op = block.first_op
    while op is not None:
        ops.append(op)
        for region in op.regions:
            _collect(region.first_block, ops)
        op = op.next_op
