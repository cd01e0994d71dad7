"""Random networks on a cluster of cores: planned, with DMA by hand, shared among cores, and as C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.machines.make import machine
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

CONTEXT = new_context()
TO_BUFFERS = (
    "infer-integer-types,convert-onnx-to-linalg,canonicalize,fold-constants,cse,fuse-epilogues,canonicalize,cse,"
    "convert-layout,canonicalize,fold-constants,cse,fuse-epilogues,tabulate,bufferize"
)
PLANNED = "map-engines,plan-memory,allocate-static,expand-grid,pipeline-dma,outline-kernels"
EXPLICIT = (
    "convert-dma-to-cluster",
    "convert-kernels-to-dots",
    "convert-kernels-to-loops{row-bytes=64}",
    "fork-kernels{cores=3}",
    "convert-to-emitc{runtime=tw_cluster.h}",
)


def apply(module: ModuleOp, passes: str) -> None:
    for step in parse_pipeline(f"builtin.module({passes})", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    verify(module)


def planned(network: Network, l1: int) -> tuple[ModuleOp, dict[str, Array], dict[str, Array]] | None:
    """Return a network with its transfers explicit, inputs, and what comes of them; None where it does not fit."""
    module = import_model(network.model, input_types=network.input_types)
    inputs = random_inputs(module, 0)
    try:
        apply(module, TO_BUFFERS)
        golden = run_module(module, inputs)
        attach_machine(module, machine(l1))
        apply(module, PLANNED)
    except Diagnostic as error:
        if "do not fit 64 bits" in error.message or "no tiling" in error.message:
            return None
        raise
    return module, inputs, golden


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "operators", [(*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM), REDUCING], ids=["all", "sums and products"]
)
def test_random_networks(operators: Any) -> None:
    ran: list[int] = []

    @examples(12)
    @given(networks(operators, largest=3, types=("i8", "ui8")), st.sampled_from([512, 1024, 4096]))
    def check(network: Network, l1: int) -> None:
        found = planned(network, l1)
        if found is None:
            return
        module, inputs, golden = found
        for name in EXPLICIT:
            apply(module, name)
            results = run_module(module, inputs)
            for output, expected in golden.items():
                np.testing.assert_array_equal(results[output], expected, err_msg=f"{output} after {name}")
        ran.append(sum("tilewright.fork" in op.attributes for op in module.walk()))

    check()
    assert sum(map(bool, ran)) > len(ran) / 3 > 2


SCALAR = """func.func @network(%y: memref<i32> {onnx.name = "y", tilewright.output}) {
  %near = memref.alloc() : memref<i32, "L1">
  %seven = arith.constant 7 : i32
  memref.store %seven, %near[] : memref<i32, "L1">
  %token = hier.dma_start %y[] from %near : memref<i32>, memref<i32, "L1">
  hier.dma_wait %token
  func.return
}"""


def test_a_tensor_without_axes_is_transferred() -> None:
    module = parse_module(CONTEXT, SCALAR)
    apply(module, "convert-dma-to-cluster")
    assert run_module(module, {})["y"] == 7


LINES = """func.func @network(%x: memref<1x4xi8>, %y: memref<5x4xi8> {onnx.name = "y", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %five step %one {
    %line = arith.subi %i, %two : index
    %near = memref.alloc() : memref<1x4xi8, "L1">
    %in = hier.dma_start %x[%line, %zero] to %near clipped fill 9 : i8 : memref<1x4xi8>, memref<1x4xi8, "L1">
    hier.dma_wait %in
    %out = hier.dma_start %y[%i, %zero] from %near : memref<5x4xi8>, memref<1x4xi8, "L1">
    hier.dma_wait %out
  }
  func.return
}"""


@pytest.mark.parametrize("mover", ["convert-dma-to-cluster", "convert-dma-to-loops"])
def test_lines_beside_an_image_of_one_line_are_filled(mover: str) -> None:
    """Of five tiles, as of a window's taps that are cut, only that in the middle has something of the image."""
    module = parse_module(CONTEXT, LINES)
    apply(module, mover)
    expected = np.full((5, 4), 9, np.int8)
    expected[2] = [1, 2, 3, 4]
    np.testing.assert_array_equal(run_module(module, {"arg0": expected[2:3]})["y"], expected)
