"""Kernels in parts compute what they do whole, wherever they are cut, at every level of a machine with two engines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.split.parts import build_parts, can_build, can_split
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.passes.plans import on_buffers
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

CONTEXT = new_context()
LIMITS = (5, 12), (5, 12), (1, 3), (1, 2), (1, 2)
"""Of height, width, window, stride and dilation."""
ALL = (*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM)


def kernels(module: ModuleOp) -> list[Operation]:
    return [op for function in functions(module) for op in function.walk() if is_kernel(op)]


def check_in_parts(module: ModuleOp, data: st.DataObject) -> None:
    """Cut kernels of a module anywhere, and compare what it computes."""
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)
    for op in kernels(module):
        loops = [loop for loop in range(len(kernel_of(op).bounds)) if can_split(op, loop)]
        if not loops:
            continue
        loop = data.draw(st.sampled_from(loops))
        bound = kernel_of(op).bounds[loop]
        cuts = sorted(data.draw(st.sets(st.integers(1, bound - 1), min_size=1, max_size=3)))
        if not can_build(op, loop, cuts):
            continue
        Rewriter.insert_op(build_parts(op, loop, cuts), InsertPoint.before(op))
        Rewriter.erase_op(op)
    verify(module)
    verify_memory(module)
    for name, array in run_module(module, inputs).items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


@st.composite
def windows(draw: st.DrawFn) -> str:
    """A convolution or a pooling with any window, stride, dilation and padding, in groups or not."""
    height, width, kernel, stride, dilation = (draw(st.integers(low, high)) for low, high in LIMITS)
    reach = (kernel - 1) * dilation
    pads = [draw(st.integers(0, min(reach, 2))) for _ in range(4)]
    space = [(n + a + b - reach - 1) // stride + 1 for n, a, b in ((height, *pads[::2]), (width, *pads[1::2]))]
    numbers = {"strides": [stride] * 2, "dilations": [dilation] * 2, "pads": pads}
    if draw(st.booleans()):
        op, weights, extra, out = "nn.pool", "", 'kind = "max", accumulator = i8', f"1x4x{space[0]}x{space[1]}xi8"
        numbers["window"] = [kernel] * 2
    else:
        groups = draw(st.sampled_from([1, 2, 4]))
        weights, out = f"4x{4 // groups}x{kernel}x{kernel}xi8", f"1x4x{space[0]}x{space[1]}xi32"
        op, extra = "nn.conv", f"groups = {groups} : i64, accumulator = i32"
    ins = [("%x", f"memref<1x4x{height}x{width}xi8>"), *([("%w", f"memref<{weights}>")] if weights else [])]
    listed = ", ".join(f"{name} = array<i64: {', '.join(map(str, each))}>" for name, each in numbers.items())
    names, types = (", ".join(column) for column in zip(*ins, strict=True))
    arguments = ", ".join(f'{name}: {type} {{onnx.name = "{name[1:]}"}}' for name, type in ins)
    return f"""func.func @network({arguments}, %y: memref<{out}> {{onnx.name = "y", tilewright.output}}) {{
      {op} ins({names} : {types}) outs(%y : memref<{out}>) {{{listed}, {extra}}}
      func.return
    }}"""


@given(windows(), st.data())
@settings(max_examples=25, derandomize=True, deadline=None, database=None)
def test_windows_in_parts_compute_the_same(text: str, data: st.DataObject):
    module = parse_module(CONTEXT, text)
    verify(module)
    check_in_parts(module, data)


@pytest.mark.long
@examples(15)
@given(networks(ALL), st.data())
def test_kernels_in_parts_compute_the_same(network: Network, data: st.DataObject):
    check_in_parts(on_buffers(import_model(network.model, input_types=network.input_types)), data)
