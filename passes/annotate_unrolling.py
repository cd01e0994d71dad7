"""The pass `annotate-unrolling`: unroll factors of innermost loops, for the C compiler."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, f32, i64
from xdsl.ir import Attribute, Operation

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.nesting import nested_ops
from ..ir import element_of, functions, integer_width
from .core.base import Pass
from .loops.branches import rare_value
from .loops.nest import UNROLL

FACTOR = 4
"""Unroll factor of loops."""
MOST_OPS = 32
"""Ops of a body that is worth unrolling, at most: what a longer one saves of its branch is little."""
_LONG = (arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FloorDivSIOp)
CALL, LOOP = 7, 10
"""Instructions that clang counts for an op in inline assembly, a call to it, and for a loop and its indices."""
PEELED_TRIPS, PEELED_OPS = 16, 302
"""
Iterations, and instructions of them all by that count, of a loop that clang -O3 unrolls wholly, at most.

By -Rpass=loop-unroll it unrolls 14, 10, 8 and 7 iterations of bodies with 1 to 4 ops in assembly, and not one more.
"""
_EXTREMA = (arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)


def is_worth_unrolling(iterations: int, factor: int) -> bool:
    """Return whether a loop has enough iterations to unroll, and few of them are left over."""
    return iterations > 2 * factor and (iterations % factor == 0 or iterations >= 3 * factor)


def is_peeled(iterations: int, size: int) -> bool:
    """Return whether clang unrolls a loop wholly without being asked, by the `size` of its body in instructions."""
    return iterations <= PEELED_TRIPS and iterations * (size + LOOP) <= PEELED_OPS


def unroll_factor(op: Operation, factor: int) -> int:
    """Return the factor by which the C compiler should unroll a loop, 1 for loops to be left as they are."""
    if not isinstance(op, scf.ForOp) or op.iter_args or (trips := _trip_count(op)) < 2 * factor:
        return 1
    body = list(op.body.block.ops)
    stores = any(isinstance(inner, memref.StoreOp) for inner in body)
    if not stores or len(body) > MOST_OPS or any(not _is_inline(inner) for inner in body):
        return 1
    branches = any(inner.regions for inner in body)
    if not branches and is_peeled(trips, sum(map(_size, body))):
        return 1
    is_short = trips == 2 * factor and not branches
    return factor if is_short or is_worth_unrolling(trips, factor) else 1


def _size(op: Operation) -> int:
    """Return the instructions that clang counts for an op: targets have their own ones, and extrema, in assembly."""
    is_plain = op.name.startswith(("arith.", "memref.", "scf.")) and not isinstance(op, _EXTREMA)
    return 1 if is_plain else CALL


def _trip_count(op: scf.ForOp) -> int:
    """Return the iterations of a loop with constant bounds, 0 for others."""
    low, high, step = (constant_integer(value) for value in op.operands[:3])
    return 0 if low is None or high is None or not step else -(-(high - low) // step)


def _is_inline(op: Operation) -> bool:
    """
    Return whether an op is a few instructions of a core: a load, a store, or arithmetic in integers of 32 bits.

    A branch that is seldom taken is one too: its code stands elsewhere.
    """
    if isinstance(op, memref.LoadOp | memref.StoreOp):
        element = element_of(op.memref)
        return element == f32 or _is_narrow(element)
    if isinstance(op, _LONG) or (op.regions and rare_value(op) is None):
        return False
    return all(_is_narrow(value.type) for value in (*op.operands, *op.results))


def _is_narrow(type: Attribute) -> bool:
    return isinstance(type, IndexType) or (integer_width(type) or 64) <= 32


@dataclass(frozen=True)
class AnnotateUnrollingPass(Pass):
    """
    Ask the C compiler to unroll innermost loops that store each iteration, `factor` times.

    Run it on loops. A loop with constant bounds and a short body in integers of at most 32 bits gets the attribute
    `tilewright.unroll`, which convert-to-emitc writes as a pragma: for cores without vectors, where the compiler does
    not unroll by itself, and each iteration pays pointers and a branch. It needs more than `2 * factor` iterations, and
    at least `3 * factor` unless they are a multiple of it. Loops that the compiler unrolls wholly are left, and so are
    divisions, floats and calls, which take longer than what is saved.

        scf.for %i = %c0 to %c16 step %c1 { ... memref.store ... } {tilewright.unroll = 4 : i64}
    """

    name = "annotate-unrolling"

    factor: int = FACTOR

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for inner in nested_ops(function):
                if (factor := unroll_factor(inner, self.factor)) > 1:
                    inner.attributes[UNROLL] = IntegerAttr(factor, i64)
