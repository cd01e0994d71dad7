"""The pass `promote-single-iterations`: bodies of loops of a single iteration in their place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..ir import functions
from .core.base import Pass
from .loops.trip_count import trip_count


def promote(loop: scf.ForOp) -> None:
    """Replace a loop of a single iteration by its body."""
    body = loop.body.block
    end = body.last_op
    assert isinstance(end, scf.YieldOp)
    results = list(end.operands)
    Rewriter.erase_op(end)
    Rewriter.inline_block(body, InsertPoint.before(loop), [loop.lb, *loop.iter_args])
    Rewriter.replace_op(loop, [], results)


@dataclass(frozen=True)
class PromoteSingleIterationsPass(Pass):
    """
    Replace loops of a single iteration by their bodies, MLIR's `promoteIfSingleIteration`.

    The length is one where both bounds are constants, and where the upper bound is the lower one plus a constant, as in
    a core's share of a loop. The loop around it becomes an innermost one, which annotate-unrolling unrolls.

        %last = arith.addi %first, %c1 : index
        scf.for %i = %first to %last step %c1 { memref.store %x, %a[%i] }
        // becomes
        memref.store %x, %a[%first]
    """

    name = "promote-single-iterations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for loop in [inner for inner in nested_ops(function) if isinstance(inner, scf.ForOp)]:
                if trip_count(loop) == 1:
                    promote(loop)
