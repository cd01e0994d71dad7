"""Requantisation by integer products and shifts instead of floats, off by at most one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, SSAValue

from ..dialects.core.nesting import nested_ops
from ..dialects.quant import RequantizeOp, RescaleOp
from ..ir import Array, functions, integer_width
from ..runtime.interpreter import load_rules
from .core.base import Pass
from .core.dead_code import erase_dead
from .requantization.building import Arguments, Before, is_constant, replace_requantization
from .requantization.channels import Channels, domain_of
from .requantization.kernels import rewrite_requantizations
from .requantization.monotonic import product_of_sum
from .requantization.slices import BYTE, Slice, is_nondecreasing, slice_of
from .requantization.steps import Domain


def approximate_body(block: Block, channels: Channels, sums: Domain | None) -> list[tuple[SSAValue, Array]] | None:
    """Replace the rescales of a body by requantisations; returns new arguments with constants, None if unchanged."""
    arguments = Arguments(block)
    changed = False
    # The last first: a rescale that only another one reads is part of it.
    for op in reversed(list(block.ops)):
        if isinstance(op, RescaleOp) and op.result.uses and not is_constant(op, channels):
            changed |= _approximate(op, arguments, channels, sums)
            erase_dead(block.ops)
    return arguments.constants if changed else None


def _approximate(op: RescaleOp, arguments: Arguments, channels: Channels, sums: Domain | None) -> bool:
    low, high = op.low.value.data, op.high.value.data
    slices = slice_of(op, channels, through_bytes=True), slice_of(op, channels)
    for code in (*slices, slice_of(op, channels, through_integers=False)):
        if not _is_of_sum(code):
            continue
        (leaf,) = code.leaves
        line = product_of_sum(code, domain_of(leaf, sums), low, high)
        if line is None:
            continue
        body, (factor,) = Before(op), line.factors
        values = [arguments.operand(body, numbers) for numbers in (factor, line.summand - (1 << line.shift >> 1))]
        requantize = RequantizeOp(
            body.convert(leaf, i32), *values, shift=line.shift, low=low, high=high, compute=i32, type=op.result.type
        )
        return replace_requantization(op, body.op(requantize))
    return False


def _is_of_sum(code: Slice) -> bool:
    """Return whether a slice is a nondecreasing function of one integer of 9 to 32 bits: of a byte a line is exact."""
    if len(code.leaves) != 1 or code.is_read_unsigned(code.leaves[0]):
        return False
    width = integer_width(code.leaves[0].type)
    return width is not None and BYTE < width <= i32.width.data and is_nondecreasing(code)


@dataclass(frozen=True)
class ApproximateRescalePass(Pass):
    """
    Replace `quant.rescale` of a sum, with all floats before it, by `quant.requantize` in 32 bits.

        %y = quant.rescale %sum, %scale zero 3 clip -128 to 127 : i32, f32 -> i8

    becomes `clip((%sum * %mul + %add) >> shift)`, with numbers of each channel. A result may be off by one, where the
    exact product is next to a half, and by no more: that is checked at all its steps. Two rescales after each other, as
    before a concatenation, become one where the same holds. What is not a
    nondecreasing function of one integer, or needs more than 32 bits, stays. Run it on tensors, after fuse-epilogues.
    """

    name = "approximate-rescale"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for function in functions(op):
            for kernel in nested_ops(function.body):
                rewrite_requantizations(kernel, approximate_body, (RescaleOp,))
