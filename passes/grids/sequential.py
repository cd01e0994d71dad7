"""Serialisation of parallel loops."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...errors import Diagnostic
from ...ir import where
from .writer import Writer


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
    body, writer = op.body.block, Writer(InsertPoint.before(op), op.location)
    indices: list[SSAValue] = []
    for index, low, high, step in zip(body.args, op.lowerBound, op.upperBound, op.step, strict=True):
        block = Block(arg_types=[IndexType()])
        block.args[0].name_hint = index.name_hint
        writer.effect(scf.ForOp(low, high, step, [], block))
        end = scf.YieldOp()
        end.location = op.location
        block.add_op(end)
        indices.append(block.args[0])
        writer = Writer(InsertPoint.before(end), op.location)
    terminator = body.last_op
    assert terminator is not None
    Rewriter.erase_op(terminator)
    Rewriter.inline_block(body, writer.place, indices)
    Rewriter.erase_op(op)
