"""Reshapes that keep most axes: layouts propagate along axes that are not merged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import mul

from xdsl.dialects import tensor
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint, Rewriter

from ...ir import shape_of
from ..lowering.lowerer import Lowerer


def keep_axes(block: Block) -> None:
    """
    Reshape by way of the most axes that both shapes have in common, where all were merged in between.

        [1, 64, 56, 56] -> [200704] -> [1, 1, 64, 3136] becomes [1, 64, 56, 56] -> [64, 3136] -> [1, 1, 64, 3136]
    """
    for op in list(block.ops):
        merged = op.operands[0].owner if isinstance(op, tensor.ExpandShapeOp) else None
        if not isinstance(merged, tensor.CollapseShapeOp) or not op.operands[0].has_one_use():
            continue
        source, target = shape_of(merged.operands[0]), shape_of(op.results[0])
        common = common_axes(source, target)
        if len(common) <= len(shape_of(op.operands[0])):
            continue
        scratch = Block()
        lower = Lowerer(scratch)
        value = lower.reshape(lower.reshape(merged.operands[0], common), target)
        value.name_hint = op.results[0].name_hint
        for new in list(scratch.ops):
            new.detach()
            new.location = op.location
            Rewriter.insert_op(new, InsertPoint.before(op))
        op.results[0].replace_all_uses_with(value)
        Rewriter.erase_op(op)
        Rewriter.erase_op(merged)


def common_axes(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the extents of the most axes that both shapes merge to, none of extent 1."""
    ends: list[set[int]] = [set(accumulate(shape, mul)) for shape in (first, second)]
    common = sorted({1, *ends[0]} & {1, *ends[1]})
    return [end // start for start, end in pairwise(common)]
