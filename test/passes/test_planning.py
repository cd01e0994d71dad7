"""Random networks on random machines: planned, expanded and run, they compute the same as before."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions, new_context, verify
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.plan_memory import Limits, plan_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.targets.core.machine import Machine
from tilewright.test.machines.make import machine
from tilewright.test.passes.levels import run_step, steps
from tilewright.test.passes.random_networks import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, networks
from tilewright.test.passes.test_pipeline_equivalence import examples

ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)
AFTER = "expand-grid,pipeline-dma,allocate-static,outline-kernels,convert-dma-to-loops,canonicalize,cse"


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
                plan_memory(function, target, Limits(level_bytes, double_buffered))
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
    for step in parse_pipeline(AFTER, all_passes()).steps:
        step.run.apply(new_context(), plan)
        verify(plan)
        assert_same(plan, inputs, expected, f"after {step.name}")


@examples(40)
@given(networks(ALL, largest=4), st.sampled_from([64, 128, 256, 1024, 8192]), st.booleans())
def test_random_networks(network: Network, level_bytes: int, double_buffered: bool) -> None:
    module = on_buffers(import_model(network.model, input_types=network.input_types))
    check_plan(module, machine(1 << 20), level_bytes, double_buffered=double_buffered)


@pytest.mark.parametrize(
    ("name", "l1"), [("ds-cnn", 8 << 10), ("resnet8", 64 << 10), ("mlp", 1 << 10), ("autoencoder", 8 << 10)]
)
def test_zoo(name: str, l1: int) -> None:
    module = on_buffers(import_model(zoo.build(name)))
    check_plan(module, machine(l1), l1, double_buffered=True)
