"""Conversion of `paged.score` and `paged.select` on buffers to structured kernels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.paged.selection import ScoreOp, SelectOp
from ..errors import Diagnostic
from ..ir import element_of, functions, shape_of, where
from .core.base import Pass
from .paging.fragments import insert_fragment
from .paging.selecting import Selecting, score_text, select_text


def convert_paged_selection_to_kernels(ctx: Context, function: Operation) -> None:
    """Replace the scores and selections of a function by kernels with the same bits. Raises Diagnostic for tensors."""
    for op in list(nested_ops(function)):
        if not isinstance(op, ScoreOp | SelectOp):
            continue
        if op.results:
            raise Diagnostic(
                f"{op.name} is on tensors", where=where(op), expected="buffers", remedy="run bufferize before"
            )
        insert_fragment(ctx, op, _text(op), op.operands)
        Rewriter.erase_op(op)


def _text(op: ScoreOp | SelectOp) -> str:
    if isinstance(op, ScoreOp):
        tokens, heads, dim = shape_of(op.queries)
        kv_heads, blocks = shape_of(op.digests)[:2]
        return score_text(tokens, heads, kv_heads, blocks, dim)
    selecting = Selecting(shape_of(op.scores)[0], op.definition().shape, op.policy)
    return select_text(selecting, str(element_of(op.position)))


@dataclass(frozen=True)
class ConvertPagedSelectionToKernelsPass(Pass):
    """
    Convert scores of pages and their selection, on buffers, to structured kernels.
    """

    name = "convert-paged-selection-to-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_paged_selection_to_kernels(ctx, function)
