"""Dead code elimination: trivially dead ops are erased."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ...dialects.core.effects import EffectAnalysis


def erase_dead(ops: Iterable[Operation], analysis: EffectAnalysis | None = None) -> int:
    """
    Erase those ops that are trivially dead, the last first; return their number.

    Users come after what they use, and ops after those inside of them.
    """
    analysis = analysis or EffectAnalysis()
    count = 0
    for op in reversed(list(ops)):
        if op.parent is not None and analysis.is_trivially_dead(op):
            Rewriter.erase_op(op)
            count += 1
    return count
