"""Networks compute the same on the NPU, kernel by kernel and register by register."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from onnx import ModelProto
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend.importer import import_model
from tilewright.ir import shape_of
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.kernel_ops import NpuKernelOp
from tilewright.test.targets.siracusa.npu.npu_networks import inputs_of, npu_networks

CONTEXT = new_context()
MACHINE = Path(__file__).parent / "npu/npu.toml"
TENSORS = (
    """infer-integer-types,convert-onnx-to-linalg,canonicalize,fold-constants,cse,fuse-epilogues,canonicalize,cse"""
)
LAYOUTS = {
    "channels first": "",
    "channels last": ",convert-layout,canonicalize,fold-constants,cse,fuse-epilogues",
}
TILED = (
    "bufferize,attach-machine{target=%s},map-engines,plan-memory{level-bytes=%d time-budget=0},"
    "verify-memory{plain=false},allocate-static,expand-grid,pipeline-dma,lower-to-npu"
)


def run(module: ModuleOp, passes: str) -> None:
    for step in parse_pipeline(f"builtin.module({passes})", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)


def tensors(model: ModelProto, kind: str, layout: str) -> ModuleOp:
    """Return a network at the tensor level."""
    module = import_model(model, input_types={"x": kind})
    run(module, TENSORS + LAYOUTS[layout])
    return module


def results(module: ModuleOp, inputs: Sequence[Any]) -> list[Any]:
    return [next(iter(run_module(module, each).values())) for each in inputs]


def kernels(module: ModuleOp) -> list[NpuKernelOp]:
    return [op for op in module.walk() if isinstance(op, NpuKernelOp)]


def same(found: Sequence[Any], expected: Sequence[Any]) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.sample(1)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_networks_compute_the_same_before_and_after(layout: str):
    seen: Counter[str] = Counter()

    @settings(max_examples=24, deadline=None, derandomize=True, database=None)
    @given(npu_networks())
    def check(drawn: tuple[ModelProto, str]) -> None:
        model, kind = drawn
        module, inputs = tensors(model, kind, layout), inputs_of(model, kind, 1)
        expected = results(module, inputs)
        run(module, "convert-to-npu{everything=true}")
        same(results(module, inputs), expected)
        for op in kernels(module):
            seen[op.name] += 1
            seen["bytes" if op.requantization is not None else "sums"] += 1
            seen[str(op.bits.value.data)] += 1
            seen["padded"] += any(job.padding.sides != (0, 0, 0, 0) for job in op.jobs())
            rows = op.inputs[0].owner
            seen["windows"] += isinstance(rows, tensor.CollapseShapeOp) and len(shape_of(rows.src)) > 4
        run(module, "canonicalize,cse,fuse-epilogues")
        same(results(module, inputs), expected)

    check()
    for name in ("npu.conv", "npu.matmul", "bytes", "sums", "padded", "2", "4", "8"):
        assert seen[name], seen
    assert bool(seen["windows"]) == (layout == "channels last"), seen


@pytest.mark.sample(4)
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(npu_networks())
def test_networks_run_in_tiles_by_the_registers(drawn: tuple[ModelProto, str]):
    model, kind = drawn
    module, inputs = tensors(model, kind, "channels last"), inputs_of(model, kind, 2)
    expected = results(module, inputs)
    run(module, f"convert-to-npu{{everything=true}},canonicalize,cse,{TILED % (MACHINE, 24 << 10)}")
    assert not kernels(module)
    same(results(module, inputs), expected)
