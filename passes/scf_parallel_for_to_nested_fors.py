"""Conversion of `scf.parallel` to nests of `scf.for`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ..dialects.core.nesting import nested_ops
from .core.base import Pass
from .loops.serial import move_body, replace_by_nest, serial_nest


def scf_parallel_for_to_nested_fors(module: ModuleOp) -> None:
    """Replace parallel loops, inner ones first; reductions become loop-carried values, combined in row-major order."""
    for op in reversed(nested_ops(module)):
        if isinstance(op, scf.ParallelOp):
            _replace(op)


def _replace(op: scf.ParallelOp) -> None:
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
    loops = serial_nest(bounds, op.initVals)
    inner = loops[-1].body.block
    end = move_body(op.body.block, inner, [loop.body.block.args[0] for loop in loops])
    assert isinstance(end, scf.ReduceOp)
    totals: list[SSAValue] = []
    for region, total, value in zip(end.reductions, inner.args[1:], end.args, strict=True):
        combined = move_body(region.block, inner, [total, value])
        totals.append(combined.operands[0])
        combined.erase()
    end.erase()
    inner.add_op(scf.YieldOp(*totals))
    replace_by_nest(op, loops)


@dataclass(frozen=True)
class ScfParallelForToNestedForsPass(Pass):
    """
    Run the iterations of scf.parallel one after the other, in a nest of scf.for; upstream's pass of this name.

    A reduction is combined in row-major order.
    """

    name = "scf-parallel-for-to-nested-fors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scf_parallel_for_to_nested_fors(op)
