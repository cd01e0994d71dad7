"""Scalar code that depends on one byte becomes a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i8, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.semantics import SCALAR_RULES
from ..dialects.quant import ENTRIES, LookupOp
from ..ir import Array, dense
from .core.base import Pass

_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp)


def tabulate(block: Block) -> None:
    """
    Let a body look up what it yields, where that depends on one byte alone and is expensive to compute.

    Expensive are divisions and arithmetic in 64 bits.
    """
    terminator = block.last_op
    if terminator is None or len(terminator.operands) != 1:
        return
    ops = [op for op in block.ops if op is not terminator]
    for byte in _bytes_of(block, ops):
        rest = _code_between(byte, terminator.operands[0])
        if rest is None:
            continue
        if not any(_is_expensive(op) for op in rest):
            return
        lookup = LookupOp(byte, _table(byte, rest, terminator.operands[0], ops))
        lookup.location = terminator.location
        Rewriter.insert_op(lookup, InsertPoint.before(terminator))
        terminator.operands[0] = lookup.result
        _erase_unused(ops)
        return


def _bytes_of(block: Block, ops: list[Operation]) -> list[SSAValue]:
    """Return the bytes of a body, in the order in which they are known."""
    values = [*block.args, *(result for op in ops for result in op.results)]
    return [value for value in values if value.type == i8 and not isinstance(value.owner, arith.ConstantOp)]


def _code_between(byte: SSAValue, result: SSAValue) -> list[Operation] | None:
    """Return the ops that make a result of a byte and of constants; None where it takes more."""
    found: dict[Operation, None] = {}
    pending = [result]
    while pending:
        value = pending.pop()
        if value is byte:
            continue
        owner = value.owner
        if isinstance(owner, Block) or owner.regions or type(owner) not in SCALAR_RULES:
            return None
        if owner not in found:
            found[owner] = None
            pending += owner.operands
    return list(found)


def _is_expensive(op: Operation) -> bool:
    if isinstance(op, arith.ConstantOp):
        return False
    return isinstance(op, _DIVISIONS) or any(value.type == i64 for value in op.results)


def _table(byte: SSAValue, rest: list[Operation], result: SSAValue, ops: list[Operation]) -> Any:
    """Return what the code gives for every byte, from -128 on."""
    values: dict[SSAValue, Array] = {byte: np.arange(-128, 128).astype(np.int8)}
    needed = set(rest)
    with np.errstate(all="ignore"):
        for op in (op for op in ops if op in needed):
            made = SCALAR_RULES[type(op)](op, *(values[operand] for operand in op.operands))
            results = (made,) if len(op.results) == 1 else tuple(made)
            values |= dict(zip(op.results, results, strict=True))
    entries = np.broadcast_to(values[result], (ENTRIES,))
    return dense(np.ascontiguousarray(entries), result.type)


def _erase_unused(ops: list[Operation]) -> None:
    for op in reversed(ops):
        if not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class TabulatePass(Pass):
    """
    Replace expensive scalar code in kernels that depends on one byte by `quant.lookup`.

    Such is what follows a requantisation to bytes: the division of attention scores, another requantisation in 64 bits.
    A table has 256 entries. Run it after the last fuse-epilogues.
    """

    name = "tabulate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.walk()):
            region = kernel.epilogue if isinstance(kernel, KernelOp) else None
            if isinstance(kernel, GenericOp):
                region = kernel.body
            if region is not None and region.blocks:
                tabulate(region.block)
