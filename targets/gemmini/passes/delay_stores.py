"""
The pass `delay-stores`: a loop over tiles issues the stores of a tile in the next iteration, before the kernel there.

    scf.for %i = %c0 to %c8 step %c1 {
      func.call @conv_0(%x, %w, %sums_i)
      func.call @write_tile_0(%y, %sums_i, %i)
    }

becomes

    scf.for %i = %c0 to %c8 step %c1 {
      scf.if %is_second {
        func.call @write_tile_0(%y, %sums_before, %i_before)
      }
      func.call @conv_0(%x, %w, %sums_i)
    }
    func.call @write_tile_0(%y, %sums_7, %c7)

Stores wait for the products before them, and the core for a place in their queue: behind the kernel, the array would
have nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.analysis.constants import constant_integer
from ....dialects.core.nesting import nested_ops
from ....dialects.core.scalars import index_constant
from ....dialects.hier import DmaNoneOp
from ....ir import functions
from ....passes.core.base import Pass
from ..issues import ArrayFunctions, Issue, are_awaited, carried, condition, copied, token_of


def delay_stores(loop: scf.ForOp, program: ArrayFunctions) -> None:
    """Issue the transfers behind the last kernel of a loop one iteration later, if nobody waits for them before."""
    low, high, block = constant_integer(loop.lb), constant_integer(loop.ub), loop.body.block
    calls = [op for op in block.ops if program.kernel(op) is not None]
    if low is None or high is None or low >= high or constant_integer(loop.step) != 1 or not calls:
        return
    behind = list[Operation]()
    while (op := behind[-1].next_op if behind else calls[-1].next_op) is not None:
        behind.append(op)
    if any(program.work(op) for op in behind):
        return
    issues = [issue for op in behind for issue in program.issues(op)]
    if not issues or not all(_may_be_later(issue, loop, behind) for issue in issues):
        return
    kernel = program.kernel(calls[-1])
    if kernel is None or len(program.separable(kernel, issues)) < len(issues):
        return
    step, end = block.args[0], InsertPoint.after(loop)
    less = arith.SubiOp(step, loop.step)
    before, second = arith.MaxSIOp(less, loop.lb), arith.CmpiOp(step, loop.lb, "sgt")
    for arithmetic in (less, before, second):
        Rewriter.insert_op(arithmetic, InsertPoint.before(calls[-1]))
    last = index_constant(high - 1)
    Rewriter.insert_op(last, end)
    for issue in issues:
        _issue(issue, block, {step: before.result}, [(second.result, True)], InsertPoint.before(calls[-1]))
        _issue(issue, block, {step: last.result}, [], end)
        Rewriter.erase_op(issue.call)


def _may_be_later(issue: Issue, loop: scf.ForOp, behind: Sequence[Operation]) -> bool:
    """Return whether a transfer may be in flight during the next iteration, and depends on the loop's index only."""
    token, block = token_of(issue), loop.body.block
    if token is None or copied(issue.values(), block, {block.args[0]: block.args[0]}) is None:
        return False
    tokens, last = carried(token), block.last_op
    if last is None or are_awaited(tokens, behind):
        return False
    following = [block.args[1 + place] for place, value in enumerate(last.operands) if value in tokens]
    return not any(are_awaited(carried(argument), list(block.ops)) for argument in following)


def _issue(
    issue: Issue,
    block: Block,
    mapping: dict[SSAValue, SSAValue],
    guards: Sequence[tuple[SSAValue, bool]],
    point: InsertPoint,
) -> None:
    """Insert a transfer in a branch of its own, with other values for some."""
    copies = copied(issue.values(), block, mapping)
    assert copies is not None
    ops, values = copies
    for op in ops:
        Rewriter.insert_op(op, point)
    guards = [*guards, *((values.get(value, value), side) for value, side in issue.guards)]
    issued: list[Operation] = [issue.call.clone(values), DmaNoneOp()]
    if guards:
        holds = condition(guards, point)
        issued = [scf.IfOp(holds, [], Region(Block([*issued, scf.YieldOp()])))]
    for op in issued:
        for inner in nested_ops(op):
            inner.location = issue.call.location
        Rewriter.insert_op(op, point)


@dataclass(frozen=True)
class DelayStoresPass(Pass):
    """
    Issue the stores of a tile in the next iteration of the loop over tiles, before its kernel, and the last ones behind
    the loop.

    Run it after `hoist-configuration` and before `interleave-transfers`. A store stays where it is if the next
    iteration waits for it.
    """

    name = "delay-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        program = ArrayFunctions(op)
        for function in functions(op):
            for loop in [inner for inner in nested_ops(function) if isinstance(inner, scf.ForOp)]:
                delay_stores(loop, program)
