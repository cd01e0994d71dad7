"""Plans of networks on buffers, which compute the same on grids and after each pass that expands them."""

from __future__ import annotations

import re

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array, functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.plan_memory import PlanLimits, plan_memory
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.passes.levels import AFTER_PLAN, run_step, steps


def on_buffers(module: ModuleOp) -> ModuleOp:
    """Run the host's pipeline up to buffers."""
    for step in steps("buffers"):
        run_step(step, module)
    return module


def planned(module: ModuleOp, target: Machine, level_bytes: int, *, double_buffered: bool = True) -> ModuleOp:
    """Plan a clone of a module; where no plan fits, with the size that the error names, which must then do."""
    while True:
        clone = module.clone()
        try:
            for function in functions(clone):
                plan_memory(function, target, PlanLimits(level_bytes, double_buffered))
        except Diagnostic as error:
            named = re.search(r"give L1 ([\d,]+) bytes", error.remedy)
            if named is None or int(named[1].replace(",", "")) <= level_bytes:
                raise
            level_bytes = int(named[1].replace(",", ""))
            continue
        verify(clone)
        return clone


def assert_same(module: ModuleOp, inputs: dict[str, Array], expected: dict[str, Array], what: str) -> None:
    results = run_module(module, inputs)
    for name, array in expected.items():
        np.testing.assert_array_equal(results[name], array, err_msg=f"{name} {what}")


def check_plan(module: ModuleOp, target: Machine, level_bytes: int, *, double_buffered: bool, seed: int = 0) -> None:
    """Assert that a planned module computes the same on grids and after each pass that expands them."""
    inputs = random_inputs(module, seed)
    expected = run_module(module, inputs)
    plan = planned(module, target, level_bytes, double_buffered=double_buffered)
    assert_same(plan, inputs, expected, "on grids")
    verify_memory(plan)
    for step in parse_pipeline(AFTER_PLAN, all_passes()).steps:
        step.run.apply(new_context(), plan)
        verify(plan)
        assert_same(plan, inputs, expected, f"after {step.name}")
        if step.name in ("expand-grid", "pipeline-dma"):
            verify_memory(plan)
