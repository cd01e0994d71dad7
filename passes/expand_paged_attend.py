"""
Expansion of attention over a paged store: digests, scores, selection, attention over the selected blocks.

    %o = paged.attend @kv layer 0 queries %q : tensor<1x4x8xf32> -> tensor<1x4x8xf32>

becomes, with budget=3,

    %digests = paged.digest @kv layer 0 -> tensor<2x4x2x8xf32>
    %scores = paged.score %q against %digests : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
    %table, %counts = paged.select @kv scores %scores at %position {budget = 3 : i64, ...}
    %o = paged.attend @kv layer 0 queries %q over %table, %counts
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ..dialects.core.nesting import nested_ops
from ..dialects.paged.ops import AttendOp, BeginOp
from ..dialects.paged.selection import REDUCTIONS, DigestOp, ScoreOp, SelectionPolicy, SelectOp, digest_shape
from ..errors import Diagnostic
from ..ir import functions, where
from .core.base import Pass


def expand_paged_attend(function: Operation, policy: SelectionPolicy, skip_layers: int) -> None:
    """
    Expand the attention of a function's step over the blocks that a policy selects; budget 0 selects all.

    The first `skip_layers` layers attend to all blocks. The results are those of a store of this policy with
    `sparse_prefill`, bit for bit. Raises Diagnostic for attention before the step begins.
    """
    position: SSAValue | None = None
    for op in list(nested_ops(function)):
        if isinstance(op, BeginOp):
            position = op.position
        if not isinstance(op, AttendOp) or op.table is not None:
            continue
        if position is None:
            remedy = "begin the step in the function of its attention"
            raise _refusal(op, "attention without a step", "a paged.begin before it in the function", remedy)
        if op.result is None:
            raise _refusal(op, "attention on buffers", "attention on tensors", "expand it before bufferize")
        _expand(op, position, policy, skip_layers)


def _refusal(op: Operation, message: str, expected: str, remedy: str) -> Diagnostic:
    return Diagnostic(message, where=where(op), expected=expected, remedy=remedy)


def _expand(op: AttendOp, position: SSAValue, policy: SelectionPolicy, skip_layers: int) -> None:
    pool = op.definition()
    used = policy if policy.budget and op.number >= skip_layers else SelectionPolicy(pool.shape.blocks)
    digests = DigestOp(op.symbol, op.number, TensorType(f32, digest_shape(pool.shape)))
    scores = ScoreOp(op.queries, digests.results[0])
    select = SelectOp(pool, scores.results[0], position, used)
    attend = AttendOp(op.symbol, op.number, op.queries, table=select.table, counts=select.counts)
    values = (*digests.results, *scores.results, *select.results)
    for name, value in zip(("digests", "scores", "table", "counts"), values, strict=True):
        value.name_hint = name
    for new in (digests, scores, select, attend):
        new.location = op.location
    Rewriter.replace_op(op, [digests, scores, select, attend])


@dataclass(frozen=True)
class ExpandPagedAttendPass(Pass):
    """
    Expand attention over a paged store to scores of pages, their selection, and attention over the selected pages.

    `budget` is in pages, 0 for all; `sinks` first and `recent` last pages are always attended to, and the query's own.
    Layers before `skip-layers` attend to all. `reduce` is softmax-sum, union, max or sum. The selection is then IR, in
    place of the store's own.
    """

    name = "expand-paged-attend"

    budget: int = 0
    sinks: int = 0
    recent: int = 0
    skip_layers: int = 0
    reduce: str = REDUCTIONS[0]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        policy = SelectionPolicy(self.budget, self.sinks, self.recent, self.reduce)
        if self.budget:
            try:
                policy.verify()
            except VerifyException as error:
                remedy = "expand-paged-attend{budget=16 sinks=1 recent=1 reduce=softmax-sum}"
                raise Diagnostic(str(error), remedy=remedy) from error
        for function in functions(op):
            expand_paged_attend(function, policy, self.skip_layers)
