"""Rules for unstructured control flow: the terminators of cf, and assertions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block

from ...dialects.core.semantics import Runner, Value, branch, semantics
from ...errors import Diagnostic
from ...ir import where
from .bits import width_of


@branch(cf.BranchOp)
def _br(op: cf.BranchOp, operands: Sequence[Value]) -> tuple[Block, Sequence[Value]]:
    return op.successor, operands


@branch(cf.ConditionalBranchOp)
def _cond_br(op: cf.ConditionalBranchOp, operands: Sequence[Value]) -> tuple[Block, Sequence[Value]]:
    condition, *arguments = operands
    count = len(op.then_arguments)
    return (op.then_block, arguments[:count]) if condition else (op.else_block, arguments[count:])


@branch(cf.SwitchOp)
def _switch(op: cf.SwitchOp, operands: Sequence[Value]) -> tuple[Block, Sequence[Value]]:
    flag, *arguments = operands
    modulus = 1 << width_of(op.flag.type)
    cases = [int(case) % modulus for case in op.case_values.get_values()] if op.case_values else []
    count = len(op.default_operands)
    if int(flag) % modulus not in cases:
        return op.default_block, arguments[:count]
    position = cases.index(int(flag) % modulus)
    sizes = [int(size) for size in op.case_operand_segments.get_values()]
    first = count + sum(sizes[:position])
    return op.case_blocks[position], arguments[first : first + sizes[position]]


@semantics(cf.AssertOp)
def _assert(runner: Runner, op: cf.AssertOp, operands: Sequence[Value]) -> Sequence[Value]:
    if not operands[0]:
        raise Diagnostic(f"an assertion does not hold: {op.msg.data}", where=where(op), expected="true", found="false")
    return ()
