"""Parts of the NPU's kernels: each a job or none at all, and a split that fails leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import functions
from tilewright.passes.split.parts import build_parts, can_build, can_split
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.targets.siracusa.dialects.npu import NpuConvOp
from tilewright.targets.siracusa.npu.geometry import ConvKind, packed_shape

CONTEXT = new_context()
LOOPS = 4
"""Parallel loops of a convolution: images, rows, columns, channels."""


def text_of(kind: ConvKind, out: Sequence[int], pads: Sequence[int], channels: int) -> str:
    """Return a convolution on buffers; `pads` are above, left, below and right."""
    image = [extent + 2 - a - b for extent, a, b in zip(out, pads, pads[2:], strict=False)]
    x, y = (f"memref<1x{height}x{width}x{channels}x{type}>" for (height, width), type in ((image, "i8"), (out, "i32")))
    w = "memref<{}x{}xi8>".format(*packed_shape(kind, channels, channels, 2))
    return f"""func.func @network(%x: {x} {{onnx.name = "x"}}, %w: {w} {{onnx.name = "w"}},
                                  %y: {y} {{onnx.name = "y", tilewright.output}}) {{
      npu.conv ins(%x, %w : {x}, {w}) outs(%y : {y}) {{kind = "{kind.name.lower()}", bits = 2 : i64,
        offset = -2 : i64, pads = array<i64: {", ".join(map(str, pads))}>}}
      func.return
    }}"""


@st.composite
def convolutions(draw: Any) -> str:
    """Draw a convolution with any padding that the NPU has at the borders of its sub-tiles."""
    kind = draw(st.sampled_from([ConvKind.DENSE, ConvKind.DEPTHWISE]))
    out = [draw(st.integers(2, 14)) for _ in range(2)]
    before = [draw(st.integers(0, min(2, extent))) for extent in out]
    most = [min(2, extent + 1 - pad, (extent - 1) % 6 + 1) for extent, pad in zip(out, before, strict=True)]
    after = [draw(st.integers(0, each)) for each in most]
    return text_of(kind, out, [*before, *after], draw(st.sampled_from([3, 30])))


def users_of(op: Operation) -> list[set[Operation]]:
    return [{use.operation for use in operand.uses} for operand in op.operands]


def kernel_in(module: ModuleOp) -> NpuConvOp:
    return next(op for function in functions(module) for op in function.walk() if isinstance(op, NpuConvOp))


@given(convolutions(), st.data())
@settings(max_examples=15, derandomize=True, deadline=None, database=None)
def test_parts_compute_the_same_or_are_not_made(text: str, data: st.DataObject):
    module = parse_module(CONTEXT, text)
    op, inputs = kernel_in(module), random_inputs(module, 0)
    expected = run_module(module, inputs)
    loop = data.draw(st.sampled_from([loop for loop in range(LOOPS) if can_split(op, loop)]))
    users = users_of(op)
    points = [point for point in range(1, kernel_of(op).bounds[loop]) if can_build(op, loop, [point])]
    assert users_of(op) == users, "ops that are not in the module use the kernel's operands"
    Rewriter.insert_op(build_parts(op, loop, [data.draw(st.sampled_from(points))]), InsertPoint.before(op))
    Rewriter.erase_op(op)
    verify(module)
    for name, array in run_module(module, inputs).items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


def test_a_split_that_fails_leaves_nothing_behind():
    pads = (2, 1, 2, 1)
    module = parse_module(CONTEXT, text_of(ConvKind.DEPTHWISE, (14, 6), pads, 3))
    op = kernel_in(module)
    users = users_of(op)
    # A last part of 7 or 13 rows has its padding of 2 in two sub-tiles.
    assert [point for point in range(1, 14) if not can_build(op, 1, [point])] == [1, 7]
    assert users_of(op) == users
