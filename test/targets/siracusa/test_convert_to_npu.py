"""Networks compute the same on the NPU, kernel by kernel and register by register."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
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
from tilewright.test.random.networks.network import RandomNetwork, random_network

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


WEIGHTS = {"product": 3, "dense": 3, "convolution and residual": 2, "two convolutions": 1, "rectified": 1, "sum": 1}


def layers(seed: int) -> RandomNetwork:
    """Return a network of two layers on bytes, most of which the NPU has."""
    return random_network(seed, "requant", families=["convolution", *WEIGHTS], weights=WEIGHTS, layers=2)


def tensors(network: RandomNetwork, layout: str) -> ModuleOp:
    """Return a network at the tensor level."""
    module = import_model(network.model)
    run(module, TENSORS + LAYOUTS[layout])
    return module


def check(module: ModuleOp, network: RandomNetwork) -> None:
    """Assert that a module computes what ONNX Runtime does."""
    for sample, expected in zip(network.samples, network.expected(), strict=True):
        for array, wanted in zip(run_module(module, sample).values(), expected, strict=True):
            np.testing.assert_array_equal(array, wanted, err_msg=f"seed {network.seed}")


def kernels(module: ModuleOp) -> list[NpuKernelOp]:
    return [op for op in module.walk() if isinstance(op, NpuKernelOp)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_networks_compute_on_the_npu_what_onnx_runtime_does(layout: str):
    seen: Counter[str] = Counter()
    for network in map(layers, range(8, 24)):
        module = tensors(network, layout)
        run(module, "convert-to-npu{everything=true}")
        check(module, network)
        for op in kernels(module):
            seen[op.name] += 1
            seen["bytes" if op.requantization is not None else "sums"] += 1
            seen[str(op.bits.value.data)] += 1
            seen["padded"] += any(job.padding.sides != (0, 0, 0, 0) for job in op.jobs())
            rows = op.inputs[0].owner
            seen["windows"] += isinstance(rows, tensor.CollapseShapeOp) and len(shape_of(rows.src)) > 4
        run(module, "canonicalize,cse,fuse-epilogues")
        check(module, network)
    for name in ("npu.conv", "npu.matmul", "bytes", "sums", "padded", "2", "4", "8"):
        assert seen[name], seen
    assert bool(seen["windows"]) == (layout == "channels last"), seen


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(20, 30))
def test_networks_run_in_tiles_by_the_registers(seed: int):
    network = layers(seed)
    module = tensors(network, "channels last")
    run(module, f"convert-to-npu{{everything=true}},canonicalize,cse,{TILED % (MACHINE, 24 << 10)}")
    assert not kernels(module)
    check(module, network)
