"""Serialisation of parallel loops."""

from __future__ import annotations

from contextlib import ExitStack

from xdsl.dialects import scf
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.core.builder import Builder
from ...errors import Diagnostic
from ...ir import where


def make_sequential(op: scf.ParallelOp) -> None:
    """
    Replace a parallel loop by sequential loops in row-major order.

    Raises Diagnostic for a loop with results, because reductions have no defined order.
    """
    if op.results:
        raise Diagnostic(
            "a parallel loop with reductions cannot be made sequential",
            where=where(op),
            expected="iterations that write their results to memory",
        )
    body, writer = op.body.block, Builder.before(op)
    with ExitStack() as loops:
        indices: list[SSAValue] = []
        for index, low, high, step in zip(body.args, op.lowerBound, op.upperBound, op.step, strict=True):
            loop = loops.enter_context(writer.loop(index.name_hint, low, high, step))
            indices.append(writer.value(loop))
        terminator = body.last_op
        assert terminator is not None
        Rewriter.erase_op(terminator)
        Rewriter.inline_block(body, writer.point, indices)
    Rewriter.erase_op(op)
