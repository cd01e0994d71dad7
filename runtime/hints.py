"""Hints for quantised networks on machines that compute floats slowly, or requantise by shifts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..dialects.core.machine.cost_table import parameters_of
from ..dialects.core.machine.file import find_machine
from ..dialects.core.nesting import nested_ops
from ..dialects.onnx.facts import Trait, having
from ..ir import functions
from ..passes.core.manager import Observer

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from ..passes.core.manager import PassPosition
    from ..passes.core.pipeline import Pipeline


def has_float_costs(target: str) -> bool:
    """Return whether a machine's model says what an operation on floats takes: where it does, that is much."""
    machine = find_machine(target)
    return any("float_cycles" in parameters_of(run.cost) for engine in machine.engines for run in engine.runs)


def hints(target: str, *, integers: bool, shifts: bool = False) -> list[Observer]:
    """Return the hints that apply."""
    if shifts:
        return []
    floats = [FloatHint()] if not integers and has_float_costs(target) else []
    return [*floats, ScaleHint(integers=integers)]


class FloatHint(Observer):
    """Says on stderr how many operators of a network could compute in integers."""

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        """Count them in a copy of the network, if it has any."""
        if not any(op.name in having(Trait.COMPUTES_FLOATS, "onnx.") for op in nested_ops(module)):
            return
        from ..passes.recover_quantized import recover_quantized

        copy = module.clone()
        count = sum(recover_quantized(copy, function) for function in functions(copy))
        if count:
            what = f"{count} operators on quantised tensors compute in floats"
            print(f"{what}; --integers computes them in integers", file=sys.stderr)


class ScaleHint(Observer):
    """Says on stderr how many kernels requantise sums by scales where an engine requantises by shifts."""

    def __init__(self, *, integers: bool):
        self._options = "--shifts" if integers else "--integers --shifts"

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        """Count them before the pass that rewrites scales alone, since it leaves shifts to an engine."""
        if place.step.name != "narrow-requantization" or not getattr(place.step.run, "rescale_only", False):
            return
        count = sum(_rescales_sums(op) for op in nested_ops(module))
        if count:
            what = f"{count} kernels requantise sums by scales, as floats do it"
            print(f"{what}; {self._options} does it by shifts, as NPUs do, a step off at most", file=sys.stderr)


def _rescales_sums(op: Operation) -> bool:
    """Return whether a kernel is a sum of products with a rescale in its epilogue."""
    from ..dialects.core.kernel import single_block
    from ..dialects.nn.contraction import ContractionOp
    from ..dialects.quant import RescaleOp

    block = single_block(op.epilogue) if isinstance(op, ContractionOp) else None
    return block is not None and any(isinstance(inner, RescaleOp) for inner in block.ops)
