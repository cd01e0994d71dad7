"""Kernels cut into tiles of random sizes, orders and stages, on one level and on two, compute the same."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

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
from tilewright.test.passes.plans import on_buffers
from tilewright.test.passes.random_tilings import cut
from tilewright.test.random.networks.integers import examples


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


_WINDOWS = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2))
"""Extent, stride, dilation and padding of a window."""


@examples(20)
@given(_WINDOWS, st.sampled_from(["MaxPool", "Conv"]), st.randoms(use_true_random=False))
def test_windows_whose_steps_are_cut(window: tuple[int, int, int, int], kind: str, draw: random.Random) -> None:
    """A last step beyond a window reads elements of the operand, no fill: such cuts are illegal."""
    extent, stride, dilation, pad = window
    module = windows(kind, extent, stride, dilation, min(pad, extent - 1))
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    (kernel, *_) = [op for op in functions(module)[0].body.block.ops if is_kernel(op)][-1:]
    cut(kernel, "L1", draw, cuts_reductions=True)
    verify(module)
    for name, values in run_module(module, inputs).items():
        np.testing.assert_array_equal(values, expected[name])


def windows(kind: str, extent: int, stride: int, dilation: int, pad: int) -> ModuleOp:
    """Return a pooling or convolution of bytes over an image of 9 by 11 points, on buffers."""
    keys: dict[str, Any] = {
        "kernel_shape": [extent, 3],
        "strides": [stride, 1],
        "dilations": [dilation, 1],
        "pads": [pad, 1, pad, 1],
    }
    x = helper.make_tensor_value_info("x", TensorProto.INT8, (1, 2, 12, 11))
    y = helper.make_tensor_value_info("y", TensorProto.INT8 if kind == "MaxPool" else TensorProto.INT32, None)
    if kind == "MaxPool":
        node, weights = helper.make_node(kind, ["x"], ["y"], **keys), []
    else:
        node = helper.make_node("ConvInteger", ["x", "w"], ["y"], **keys)
        numbers = np.random.default_rng(0).integers(-128, 128, (3, 2, extent, 3), np.int8)
        weights = [numpy_helper.from_array(numbers, "w")]
    model = helper.make_model(helper.make_graph([node], "net", [x], [y], weights))
    return on_buffers(import_model(model))
