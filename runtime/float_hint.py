"""A hint for quantised networks on machines that compute floats slowly."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..dialects.core.machine.cost_table import parameters_of
from ..dialects.core.machine.file import find_machine
from ..dialects.core.nesting import nested_ops
from ..ir import functions
from ..passes.core.manager import Observer

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ..passes.core.pipeline import Pipeline


def prices_floats(target: str) -> bool:
    """Return whether a machine's model says what an operation on floats takes: where it does, that is much."""
    machine = find_machine(target)
    return any("float_cycles" in parameters_of(run.cost) for engine in machine.engines for run in engine.runs)


def hints(target: str, *, integers: bool) -> list[Observer]:
    """Return the hint, empty where it does not apply."""
    return [FloatHint()] if not integers and prices_floats(target) else []


_QUANTISED = frozenset(("onnx.DequantizeLinear", "onnx.QLinearAdd", "onnx.QLinearMul"))
"""Operators of quantised tensors that compute in floats."""


class FloatHint(Observer):
    """Says on stderr how many operators of a network could compute in integers."""

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        """Count them in a copy of the network, if it has any."""
        if not any(op.name in _QUANTISED for op in nested_ops(module)):
            return
        from ..passes.recover_quantized import recover_quantized

        copy = module.clone()
        count = sum(recover_quantized(copy, function) for function in functions(copy))
        if count:
            what = f"{count} operators on quantised tensors compute in floats"
            print(f"{what}; --integers computes them in integers", file=sys.stderr)
