"""Rules for functions and structured control flow: func, scf."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region, SSAValue

from ...dialects.core.semantics import Runner, Value, semantics
from ...dialects.func import CallIndirectOp, ConstantOp
from ...errors import Diagnostic
from ...ir import where
from .lanes import run_nest
from .ownership import keeps_inits, keeps_yields


@semantics(func.CallOp)
def _call(runner: Runner, op: func.CallOp, operands: Sequence[Value]) -> Sequence[Value]:
    return runner.call(op.callee.string_value(), operands)


@semantics(ConstantOp)
def _function(runner: Runner, op: ConstantOp, operands: Sequence[Value]) -> Sequence[Value]:
    return (np.array(op.value.string_value()),)


@semantics(CallIndirectOp)
def _call_indirect(runner: Runner, op: CallIndirectOp, operands: Sequence[Value]) -> Sequence[Value]:
    return runner.call(str(operands[0]), operands[1:])


@semantics(scf.IfOp)
def _if(runner: Runner, op: scf.IfOp, operands: Sequence[Value]) -> Sequence[Value]:
    region = op.true_region if operands[0] else op.false_region
    return runner.run_region(region, ()) if region.blocks else ()


@semantics(scf.ForOp)
def _for(runner: Runner, op: scf.ForOp, operands: Sequence[Value]) -> Sequence[Value]:
    if int(operands[2]) <= 0:
        raise Diagnostic(f"a loop with the step {operands[2]} does not end", where=where(op), expected="a step above 0")
    if not runner.is_sequential and (results := run_nest(runner, op)) is not None:
        return results
    lower, upper, step, *inits = operands
    carried = _owned(op.iter_args, inits, runner.cached(op, keeps_inits))
    for index in range(int(lower), int(upper), int(step)):
        runner.spend(op)
        yielded = runner.run_region(op.body, [lower.dtype.type(index), *carried])
        carried = _owned(op.iter_args, yielded, runner.cached(op, keeps_yields))
    return carried


def _owned(carried: Sequence[SSAValue], values: Sequence[Value], kept: Sequence[bool]) -> list[Value]:
    """Return the loop-carried values; tensors that may alias others are copied."""
    return [
        value if keep or not isinstance(like.type, TensorType) else np.array(value)
        for like, value, keep in zip(carried, values, kept, strict=True)
    ]


@semantics(scf.WhileOp)
def _while(runner: Runner, op: scf.WhileOp, operands: Sequence[Value]) -> Sequence[Value]:
    goes_on, *values = runner.run_region(op.before_region, operands)
    while goes_on:
        runner.spend(op)
        goes_on, *values = runner.run_region(op.before_region, runner.run_region(op.after_region, values))
    return values


@semantics(scf.IndexSwitchOp)
def _index_switch(runner: Runner, op: scf.IndexSwitchOp, operands: Sequence[Value]) -> Sequence[Value]:
    cases = list(op.cases.get_values())
    chosen = int(operands[0])
    region = op.case_regions[cases.index(chosen)] if chosen in cases else op.default_region
    return runner.run_region(region, ())


@semantics(scf.ExecuteRegionOp)
def _execute_region(runner: Runner, op: scf.ExecuteRegionOp, operands: Sequence[Value]) -> Sequence[Value]:
    return runner.run_region(op.region, ())


@semantics(scf.ParallelOp)
def _parallel(runner: Runner, op: scf.ParallelOp, operands: Sequence[Value]) -> Sequence[Value]:
    """
    Run the iterations in order; a reduction combines the results of `scf.reduce`'s regions with the initial values.
    """
    rank = len(op.lowerBound)
    bounds = list(map(int, operands[: 3 * rank]))
    spans = list(map(range, bounds[:rank], bounds[rank : 2 * rank], bounds[2 * rank :]))
    carried: list[Value] = list(operands[3 * rank :])
    runner.spend(op, trips(spans))
    for point in product(*(range(len(span)) for span in spans)):
        indices: list[Value] = [np.int64(span[i]) for span, i in zip(spans, point, strict=True)]
        contributions = runner.run_region(op.body, indices)
        carried = [
            runner.run_region(region, [old, new])[0]
            for region, old, new in zip(_reductions(op.body.block), carried, contributions, strict=True)
        ]
    return carried


def trips(spans: Sequence[range]) -> int:
    """Return the points of a box of ranges, whose lengths may exceed what `len` returns."""
    return prod(max(0, -(-(span.stop - span.start) // span.step)) for span in spans)


def _reductions(block: Block) -> Sequence[Region]:
    return block.last_op.regions if isinstance(block.last_op, scf.ReduceOp) else ()
