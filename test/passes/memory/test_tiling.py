"""Kernels cut into tiles of random sizes, orders and stages, on one level and on two, compute the same."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.passes.levels import AFTER_PLAN, run_step, steps
from tilewright.test.passes.random_tilings import cut


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "levels"), [("mlp", ["L1"]), ("mlp", ["L2", "L1"]), ("resnet8", ["L2", "L1"])])
def test_networks_in_tiles(name: str, levels: list[str]) -> None:
    draw = random.Random(f"{name} {levels}")
    module = import_model(zoo.build(name))
    for step in steps("buffers"):
        run_step(step, module)
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)["output"]
    for kernel in [op for op in functions(module)[0].body.block.ops if is_kernel(op)]:
        grid = cut(kernel, levels[0], draw)
        for level in levels[1:]:
            for inner in [op for op in grid.body.block.ops if is_kernel(op)]:
                cut(inner, level, draw)
    verify(module)
    np.testing.assert_array_equal(run_module(module, inputs)["output"], expected)
    for step in parse_pipeline(AFTER_PLAN, all_passes()).steps:
        step.run.apply(new_context(), module)
        verify(module)
        np.testing.assert_array_equal(run_module(module, inputs)["output"], expected, err_msg=step.name)
