"""Conversion of selects with a rarely taken value to branches."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .core.base import Pass
from .loops.branches import copy_frequency, exclusive_slice, rare_value


def convert_select(select: arith.SelectOp) -> bool:
    """Sink the ops that only the less frequent value of a select needs into a branch; returns whether it has such."""
    rare = rare_value(select)
    ops = exclusive_slice(select, rare[0]) if rare is not None else []
    if rare is None or not ops:
        return False
    branches = [Block(), Block()]
    for op in ops:
        op.detach()
        branches[rare[0]].add_op(op)
    for block, value in zip(branches, select.operands[1:], strict=True):
        block.add_op(scf.YieldOp(value))
    branch = scf.IfOp(select.cond, [select.result.type], Region(branches[0]), Region(branches[1]))
    copy_frequency(select, branch)
    branch.location = select.location
    Rewriter.insert_op(branch, InsertPoint.before(select))
    branch.results[0].name_hint = select.result.name_hint
    Rewriter.replace_op(select, [], [branch.results[0]])
    return True


@dataclass(frozen=True)
class ConvertSelectToBranchPass(Pass):
    """
    Compute the less frequent value of an `arith.select` in a branch of `scf.if`, where only it needs the ops.

        %y = arith.select %c, %slow, %fast {branch_weights = array<i32: 1, 99>} : i8

    The attribute has the frequencies of both values, as LLVM's of that name; selects without it stay. Run it on loops
    for cores that predict or cheaply skip branches.
    """

    name = "convert-select-to-branch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for select in [inner for inner in nested_ops(function) if isinstance(inner, arith.SelectOp)]:
                convert_select(select)
