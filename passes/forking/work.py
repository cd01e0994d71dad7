"""Estimate of the cycles of loops on a core with vector registers."""

from __future__ import annotations

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.work import LongInstruction

_PER_OP = 1 / 8
"""Cycles of a scalar op, of which some are part of vectors: measured 1/16 to 2."""
_FREE = (arith.ConstantOp, memref.AllocaOp, scf.YieldOp)


def cycles_of_block(block: Block) -> float:
    """Return the estimated cycles of one run of a block; loops without constant bounds count as one iteration."""
    return sum(_cycles_of(op) for op in block.ops)


def _cycles_of(op: Operation) -> float:
    if isinstance(op, scf.ForOp):
        return _iterations(op) * cycles_of_block(op.body.block)
    if op.regions:
        return max((cycles_of_block(block) for region in op.regions for block in region.blocks), default=0.0)
    if isinstance(op, _FREE):
        return 0.0
    instruction = op.get_trait(LongInstruction)
    return _PER_OP if instruction is None else instruction.cycles(op)


def _iterations(loop: scf.ForOp) -> int:
    lower, upper, step = map(constant_integer, (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or step is None:
        return 1
    return len(range(lower, upper, step))
