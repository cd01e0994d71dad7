"""Requantisations of a kernel's scalar code, rewritten in integers of 32 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, f32, i8, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.quant import ENTRIES, LookupOp, RequantizeOp, RescaleOp
from ...ir import Array, dense, integer_width
from ..core.dead_code import erase_dead
from ..loops.branches import rare_value, set_frequency
from .approximation import Approximation
from .building import Arguments, Before, is_constant, replace_requantization
from .channels import Channels, domain_of
from .enumerated import line_of_byte, line_of_pair
from .kernels import Kinds
from .lines import INT32
from .monotonic import line_of_float, line_of_sum
from .slices import BYTE, Slice, is_nondecreasing, slice_of
from .steps import Domain

WORD_BITS = 32
LEVELS = 256
"""The most values of a requantisation that a line stands for."""


@dataclass(frozen=True)
class NarrowProduct:
    """`clip((x * factor + summand) >> right, low, high)` in 32 bits; int64 [channels] or [1]."""

    factor: Array
    summand: Array
    right: int


def narrow_body(
    block: Block, channels: Channels, sums: Domain | None, kinds: Kinds
) -> list[tuple[SSAValue, Array]] | None:
    """
    Rewrite the requantisations of these kinds that become cheaper; returns new arguments with their constants.

    The constants are [channels], the arguments stand at the end of the block, in the narrowest type that holds them.
    None where nothing changed.
    """
    arguments = Arguments(block)
    changed = False
    for op in list(block.ops):
        if isinstance(op, kinds) and not is_constant(op, channels) and not _is_rare(op):
            changed |= _narrow(op, arguments, channels, sums)
    erase_dead(block.ops)
    return arguments.constants if changed else None


def _is_rare(op: Operation) -> bool:
    """Return whether an op is the original code of a line."""
    users = [use.operation for use in op.results[0].uses]
    return bool(users) and all(isinstance(user, arith.SelectOp) and rare_value(user) is not None for user in users)


def _narrow(op: RequantizeOp | RescaleOp, arguments: Arguments, channels: Channels, sums: Domain | None) -> bool:
    """Rewrite a requantisation; returns whether it changed."""
    code = slice_of(op, channels)
    if isinstance(op, RequantizeOp) and (product := _product(op, code, sums)) is not None:
        return _is_cheaper(op, code) and replace_requantization(op, _multiplied(op, code, product, arguments))
    if isinstance(op, RequantizeOp) and op.compute == i32:
        return False
    if (table := _table(code)) is not None:
        lookup = LookupOp(code.leaves[0], dense(table, cast(Any, op.result.type)))
        Rewriter.insert_op(lookup, InsertPoint.before(op))
        return replace_requantization(op, lookup.result)
    for candidate in (code, slice_of(op, channels, through_integers=False)):
        estimate = _approximation(candidate, sums)
        if estimate is not None:
            return replace_requantization(op, _approximated(op, estimate, arguments))
    return False


# Products that are exact


def _product(op: RequantizeOp, code: Slice, sums: Domain | None) -> NarrowProduct | None:
    """Rewrite a requantisation as an equivalent product in 32 bits; None where it overflows."""
    if len(code.leaves) != 1 or (integer_width(code.leaves[0].type) or 64) > 32 or not is_nondecreasing(code):
        return None
    mul, add = (code.channels[value] for value in (op.mul, op.add))
    lines = code.lines()
    if len(lines) < len(code.ops) or mul is None or add is None:
        return None
    domain, right = domain_of(code.leaves[0], sums), op.shift.value.data
    factor, summand = (numbers * mul.astype(object) for numbers in lines[-1])
    summand = summand + add.astype(object) + ((1 << right) >> 1)
    if code.is_uniform():
        domain = domain.joined()
    ends = [end.astype(object) * factor for end in (domain.least, domain.most)]
    reached = [factor, summand, *ends, *(end + summand for end in ends)]
    if any(int(numbers.min()) < -INT32 or int(numbers.max()) >= INT32 for numbers in reached) or right > 31:
        return None
    return NarrowProduct(factor.astype(np.int64), summand.astype(np.int64), right)


def _is_cheaper(op: RequantizeOp, code: Slice) -> bool:
    """Return whether a product in 32 bits costs less than the present code: fewer sums, or fewer bits."""
    joins = any(isinstance(inner, arith.AddiOp | arith.SubiOp | arith.MuliOp) for inner in code.ops)
    return joins or op.compute != i32 or not isinstance(op.add.owner, arith.ConstantOp)


def _multiplied(op: RequantizeOp, code: Slice, product: NarrowProduct, arguments: Arguments) -> SSAValue:
    body = Before(op)
    total = body.mul(body.convert(code.leaves[0], i32), arguments.operand(body, product.factor))
    total = body.plus(total, arguments.operand(body, product.summand))
    total = body.shift_right(total, product.right) if product.right else total
    return body.convert(body.clip(total, op.low.value.data, op.high.value.data), op.result.type)


# Tables


def _table(code: Slice) -> Array | None:
    """Return the table over the bytes from -128 on of a slice of one byte, equal in all channels; None for a line."""
    if len(code.leaves) != 1 or code.leaves[0].type != i8 or not code.is_uniform():
        return None
    values = code.values(np.arange(-(ENTRIES >> 1), ENTRIES >> 1)[None, :])[0]
    steps = np.diff(np.roll(values, ENTRIES >> 1) if code.is_read_unsigned(code.leaves[0]) else values)
    is_monotonic = bool((steps >= 0).all()) or bool((steps <= 0).all())
    if is_monotonic:
        return None
    bits = (1 << (integer_width(code.requantization.result.type) or BYTE)) - 1
    return values & bits


# Lines with a rounding test


def _approximation(code: Slice, sums: Domain | None) -> Approximation | None:
    """Return a line that is cheaper than a slice to at most 256 values, None where there is none."""
    op = code.requantization
    low, high = op.low.value.data, op.high.value.data
    widths = [integer_width(leaf.type) or 64 for leaf in code.leaves]
    if high - low >= LEVELS or len(widths) > 2:
        return None
    if max(widths, default=64) <= BYTE:
        return line_of_byte(code) if len(widths) == 1 else line_of_pair(code)
    if len(widths) != 1 or not is_nondecreasing(code):
        return None
    (leaf,), (width,) = code.leaves, widths
    if leaf.type == f32:
        return line_of_float(code, low, high)
    return line_of_sum(code, domain_of(leaf, sums), low, high) if width <= WORD_BITS else None


def _approximated(op: RequantizeOp | RescaleOp, estimate: Approximation, arguments: Arguments) -> SSAValue:
    """Append the line of an approximation, and the choice between its result and the original one."""
    body, line = Before(op), estimate.line
    factors = [arguments.operand(body, factor) for factor in line.factors]
    total, *rest = (body.mul(term(body), factor) for term, factor in zip(estimate.terms, factors, strict=True))
    for product in rest:
        total = body.add(total, product)
    total = body.plus(total, arguments.operand(body, line.summand))
    if line.tie:
        bit = body.shift_right(total, line.shift - line.tie.bit_length() + 1)
        total = body.sub(total, body.op(arith.AndIOp(bit, body.constant(line.tie, i32))))
    upper = body.shift_right(total, line.shift)

    def converted(number: SSAValue, *, clips: bool = True) -> SSAValue:
        clipped = body.clip(number, estimate.low, estimate.high) if clips else number
        return body.convert(clipped, cast("IntegerType[Any, Any]", op.result.type))

    result = converted(upper, clips=estimate.clips)
    if not line.margin:
        return result
    remainder = body.op(arith.AndIOp(total, body.constant((1 << line.shift) - 1, i32)))
    is_near = body.op(arith.CmpiOp(remainder, body.constant(line.margin, i32), "ult"))
    original: SSAValue = op.result
    if (decision := estimate.decision) is not None:
        numbers = [arguments.operand(body, number) for number in (decision.halves.factor, decision.halves.summand)]
        original = converted(decision.halves.append(body, decision.sums(body), upper, *numbers))
    select = arith.SelectOp(is_near, original, result)
    set_frequency(select, estimate.near)
    Rewriter.insert_op(select, InsertPoint.after(op))
    select.location = op.location
    return select.result
