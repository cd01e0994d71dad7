"""The pass `peel-remainders`: iterations that an unroll factor leaves over, in a loop of their own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.nesting import nested_ops
from ..dialects.core.scalars import index_constant
from ..ir import functions
from .core.base import Pass
from .loops.nest import UNROLL
from .loops.trip_count import trip_count


def peel_remainder(loop: scf.ForOp, iterations: int) -> None:
    """Move the last `iterations` of a loop of constant length without results into a loop behind it."""
    step, count = constant_integer(loop.step), trip_count(loop)
    assert step
    assert count is not None
    kept = (count - iterations) * step
    lower = constant_integer(loop.lb)
    start = index_constant(kept if lower is None else lower + kept)
    ops: list[Operation] = [start] if lower is not None else [start, arith.AddiOp(loop.lb, start.result)]
    middle = ops[-1].results[0]
    middle.name_hint = "rest"
    remainder = loop.clone()
    for op in (*ops, remainder):
        op.location = loop.location
    remainder.attributes[UNROLL] = IntegerAttr(1, i64)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    Rewriter.insert_op(remainder, InsertPoint.after(loop))
    loop.operands = [loop.lb, middle, loop.step]
    remainder.operands = [middle, *list(remainder.operands)[1:]]


@dataclass(frozen=True)
class PeelRemaindersPass(Pass):
    """
    Peel the iterations that the factor of an unrolled loop of constant length leaves over.

    They become a loop behind it that is not to be unrolled. Clang unrolls a loop of constant length within another
    wholly, up to 16,384 instructions, where the factor that it is asked for does not divide its iterations: the code of
    101 of them exceeds the cores' instruction caches. Run it when no other pass changes bounds: after fork-kernels.

        scf.for %i = %c0 to %c101 step %c1 { ... } {tilewright.unroll = 4 : i64}
        // becomes
        scf.for %i = %c0 to %c100 step %c1 { ... } {tilewright.unroll = 4 : i64}
        scf.for %i = %c100 to %c101 step %c1 { ... } {tilewright.unroll = 1 : i64}
    """

    name = "peel-remainders"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for loop in [inner for inner in nested_ops(function) if isinstance(inner, scf.ForOp)]:
                factor, count = loop.attributes.get(UNROLL), trip_count(loop)
                if not isinstance(factor, IntegerAttr) or count is None or loop.iter_args:
                    continue
                rest = count % factor.value.data
                if rest and count > rest:
                    peel_remainder(loop, rest)
