"""Nests of `scf.for` in the place of loops whose iterations are independent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter


def serial_nest(bounds: Sequence[tuple[SSAValue, SSAValue, SSAValue]], initial: Sequence[SSAValue]) -> list[scf.ForOp]:
    """Return loops, the outermost first, of these lower bounds, upper bounds and steps; the innermost has no ops."""
    loops: list[scf.ForOp] = []
    carried = initial
    for lower, upper, step in bounds:
        block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
        loops.append(scf.ForOp(lower, upper, step, carried, block))
        carried = block.args[1:]
    for outer, inner in pairwise(loops):
        outer.body.block.add_ops([inner, scf.YieldOp(*inner.results)])
    return loops


def move_body(source: Block, target: Block, values: Sequence[SSAValue]) -> Operation:
    """Move the ops of a block to another, with its arguments replaced by values; return its terminator, detached."""
    for argument, value in zip(source.args, values, strict=True):
        value.name_hint = value.name_hint or argument.name_hint
        argument.replace_all_uses_with(value)
    for op in list(source.ops):
        op.detach()
        target.add_op(op)
    terminator = target.last_op
    assert terminator is not None
    terminator.detach()
    return terminator


def replace_by_nest(op: Operation, loops: Sequence[scf.ForOp]) -> None:
    """Replace an op by a nest whose results are its own."""
    for loop in loops:
        loop.location = op.location
    Rewriter.replace_op(op, loops[0])
