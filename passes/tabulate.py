"""Tabulation of scalar code that depends on one byte: as a product or a lookup table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.body import Body
from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.nesting import nested_ops
from ..dialects.core.semantics import SCALAR_RULES
from ..dialects.quant import ENTRIES, LookupOp
from ..ir import Array, dense, integer_width
from ..runtime.interpreter import load_rules
from .core.base import Pass
from .core.dead_code import erase_dead
from .lowering.digital_line import line_through

_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp)


_WIDTHS = (8, 16, 32)
"""Bit widths of table entries; wider tables are no smaller than the code."""


def tabulate(block: Block) -> None:
    """
    Replace expensive scalar code that depends on one byte by a product or a lookup, largest expressions first.

    Divisions and 64-bit arithmetic are expensive.
    """
    ops = [op for op in block.ops if op is not block.last_op]
    for op in reversed(ops):
        if op.parent_block() is not block or len(op.results) != 1 or not op.results[0].uses:
            continue
        if integer_width(op.results[0].type) in _WIDTHS:
            _look_up(op, block, ops)


def _look_up(op: Operation, block: Block, ops: list[Operation]) -> None:
    """Replace an op by a cheaper form if its expensive backward slice depends on one byte only."""
    result = op.results[0]
    for byte in _bytes_of(block, ops):
        rest = _code_between(byte, result)
        if rest is None or byte is result:
            continue
        if any(_is_expensive(inner) for inner in rest):
            cheaper = _cheaper_ops(byte, _values(byte, rest, result, ops), result.type)
            for new in cheaper:
                new.location = op.location
            Rewriter.replace_op(op, cheaper)
            erase_dead(ops)
        return


def _cheaper_ops(byte: SSAValue, values: Array, type: Attribute) -> list[Operation]:
    """Build the ops that map a byte to its value: multiply, add and shift if these are exact, else a table lookup."""
    line = line_through(values)
    if line is None:
        return [LookupOp(byte, dense(values, type))]
    body = Body([])
    value = body.convert(byte, i32)
    value = body.mul(value, line.factor) if line.factor != 1 else value
    value = body.add(value, line.offset) if line.offset else value
    value = body.shift_right(value, line.shift) if line.shift else value
    body.convert(value, type)
    ops = list(body.block.ops)
    for op in ops:
        op.detach()
    return ops


def _bytes_of(block: Block, ops: list[Operation]) -> list[SSAValue]:
    """Return the bytes of a body in program order."""
    there = (op for op in ops if op.parent_block() is block)
    values = [*block.args, *(result for op in there for result in op.results)]
    return [value for value in values if value.type == i8 and not isinstance(value.owner, arith.ConstantOp)]


def _code_between(byte: SSAValue, result: SSAValue) -> list[Operation] | None:
    """Return the backward slice from a result to a byte; None if it depends on other values."""
    slice_ops: dict[Operation, None] = {}
    pending = [result]
    while pending:
        value = pending.pop()
        if value is byte:
            continue
        owner = value.owner
        if isinstance(owner, Block) or owner.regions or type(owner) not in SCALAR_RULES:
            return None
        if owner not in slice_ops:
            slice_ops[owner] = None
            pending += owner.operands
    return list(slice_ops)


def _is_expensive(op: Operation) -> bool:
    if isinstance(op, arith.ConstantOp):
        return False
    return isinstance(op, _DIVISIONS) or any(value.type == i64 for value in op.results)


def _values(byte: SSAValue, rest: list[Operation], result: SSAValue, ops: list[Operation]) -> Array:
    """Evaluate the code for every byte from -128 to 127."""
    values: dict[SSAValue, Array] = {byte: np.arange(-128, 128).astype(np.int8)}
    needed = set(rest)
    with np.errstate(all="ignore"):
        for op in (op for op in ops if op in needed):
            computed = SCALAR_RULES[type(op)](op, *(values[operand] for operand in op.operands))
            results = (computed,) if len(op.results) == 1 else tuple(computed)
            values |= dict(zip(op.results, results, strict=True))
    return np.ascontiguousarray(np.broadcast_to(values[result], (ENTRIES,)))


@dataclass(frozen=True)
class TabulatePass(Pass):
    """
    Replace expensive scalar code that depends on one byte by a product and a shift, or by `quant.lookup`.

    Examples are code after a requantisation to bytes: the division of attention scores, a second requantisation in 64
    bits. A product must be equal for all 256 bytes; otherwise a table has 256 entries. Run it after the last
    fuse-epilogues.
    """

    name = "tabulate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for kernel in nested_ops(op):
            region = kernel.epilogue if isinstance(kernel, KernelOp) else None
            if isinstance(kernel, GenericOp):
                region = kernel.body
            if region is not None and region.blocks:
                tabulate(region.block)
