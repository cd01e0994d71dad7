"""Operands from neighbours: tiles that go from node to node, proved, equal in any interleaving, timed, and in C."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.machines.make import library

PRODUCT = """
func.func @network(%a: memref<16x16xi8> {onnx.name = "a"}, %b: memref<16x16xi8> {onnx.name = "b"},
                   %c: memref<16x16xi32> {onnx.name = "c", tilewright.output}) {
  hier.grid (%i, %j, %k) in [4, 4, 2] spatial [0, 1]
      ins(%ta = %a[%i * 4, %k * 8] [4, 8] in "NODE" address 0 stages 2 from neighbour [1] : memref<16x16xi8>,
          %tb = %b[%k * 8, %j * 4] [8, 4] in "NODE" address 64 stages 2 from neighbour [0] : memref<16x16xi8>)
      outs(%tc = %c[%i * 4, %j * 4] [4, 4] in "NODE" address 128 : memref<16x16xi32>) {
    hier.first %k {
      %zero = arith.constant 0 : i32
      linalg.fill ins(%zero : i32) outs(%tc : memref<4x4xi32, "NODE">)
    }
    nn.matmul ins(%ta, %tb : memref<4x8xi8, "NODE">, memref<8x4xi8, "NODE">)
              outs(%tc : memref<4x4xi32, "NODE">) {accumulator = i32, accumulate}
    hier.yield
  }
  func.return
}
"""
"""Each tile is used in one step."""

SEVERAL_STEPS = """
func.func @network(%a: memref<16x16xi8> {onnx.name = "a"}, %b: memref<16x16xi8> {onnx.name = "b"},
                   %c: memref<16x16xi32> {onnx.name = "c", tilewright.output}) {
  hier.grid (%i, %j, %p, %q) in [4, 2, 2, 2] spatial [0, 1]
      ins(%ta = %a[%i * 4 + %p * 2, 0] [2, 16] in "NODE" address 0 stages 2 from neighbour [1] : memref<16x16xi8>,
          %tb = %b[0, %j * 8 + %q * 4] [16, 4] in "NODE" address 64 stages 2 from neighbour [0] : memref<16x16xi8>)
      outs(%tc = %c[%i * 4 + %p * 2, %j * 8 + %q * 4] [2, 4] in "NODE" address 192 stages 2 : memref<16x16xi32>) {
    nn.matmul ins(%ta, %tb : memref<2x16xi8, "NODE">, memref<16x4xi8, "NODE">)
              outs(%tc : memref<2x4xi32, "NODE">) {accumulator = i32}
    hier.yield
  }
  func.return
}
"""
"""A tile of %a is used in two steps."""

TWO_DIMENSIONS = """
func.func @network(%a: memref<6x16xi8> {onnx.name = "a"}, %b: memref<16x8xi8> {onnx.name = "b"},
                   %c: memref<4x2x8x8xi32> {onnx.name = "c", tilewright.output}) {
  hier.grid (%i, %j, %p) in [4, 2, 2] spatial [0, 1]
      ins(%ta = %a[%p * 4, 0] [4, 16] in "NODE" address 0 stages 2 from neighbour [CHAIN] fill 0 : i8 : memref<6x16xi8>,
          %tb = %b[0, 0] [16, 8] in "NODE" address 128 from neighbour [CHAIN] : memref<16x8xi8>)
      outs(%tc = %c[%i, %j, %p * 4, 0] [1, 1, 4, 8] in "NODE" address 256 stages 2 : memref<4x2x8x8xi32>) {
    %t = memref.collapse_shape %tc [[0, 1, 2], [3]] : memref<1x1x4x8xi32, "NODE"> into memref<4x8xi32, "NODE">
    nn.matmul ins(%ta, %tb : memref<4x16xi8, "NODE">, memref<16x8xi8, "NODE">)
              outs(%t : memref<4x8xi32, "NODE">) {accumulator = i32}
    hier.yield
  }
  func.return
}
"""
"""%b is used in all steps. The last tile of %a is partial."""

GRIDS = {
    "product": PRODUCT,
    "one_stage": PRODUCT.replace("stages 2", "stages 1"),
    "several_steps": SEVERAL_STEPS,
    "rows_first": TWO_DIMENSIONS.replace("CHAIN", "0, 1"),
    "columns_first": TWO_DIMENSIONS.replace("CHAIN", "1, 0"),
    "columns": TWO_DIMENSIONS.replace("CHAIN", "1"),
}


def module_of(text: str, machine: str = "mesh_4x4") -> ModuleOp:
    module = parse_module(new_context(), text)
    attach_machine(module, library(machine))
    verify(module)
    return module


def passed(module: ModuleOp, passes: str) -> ModuleOp:
    PassManager().run(module, parse_pipeline(passes, all_passes()), new_context())
    verify(module)
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", list(GRIDS))
def test_tiles_go_from_node_to_node(name: str) -> None:
    module = module_of(GRIDS[name])
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    verify_memory(module)
    inputs, cycles = random_inputs(module, 0), simulate(module).cycles
    (expected,) = run_module(module, inputs).values()
    for step in ("expand-grid", "pipeline-dma"):
        verify_memory(passed(module, step))
    for seed in (None, *range(8)):
        (found,) = run_module(module, inputs, interleave=seed).values()
        np.testing.assert_array_equal(found, expected)
    assert simulate(module).cycles == cycles
    np.testing.assert_array_equal(TimedSession(module).run(inputs)["c"], expected)


def test_each_tile_crosses_the_link_from_far_once() -> None:
    """Of a product on 4x4 nodes, both operands pass it once instead of four times, and the nodes wait less."""
    near, far = (simulate(module_of(text)) for text in (PRODUCT, PRODUCT.replace("from neighbour [0]", "")))
    sides = {each.name: each.bytes_in for each in near.links}, {each.name: each.bytes_in for each in far.links}
    assert (sides[0]["io"], sides[1]["io"]) == (2 * 256, 5 * 256)
    assert near.cycles < far.cycles


FAULTS = [
    (r" after %\d+", "", "still accesses"),
    (r"hier.dma_wait %\d+\n *(hier.release %ta)", r"\1", "hands on a slot that 'hier.dma_start' still accesses"),
    (r"(%i_1, %j_1\) in) \[1, 4\]", r"\1 [2, 4]", "two programs are at one end"),
    (r"hier.push %tb\[%\d+, (%j_2\] after)", r"hier.push %tb[%i_2, \1", "two programs are at one end|no slot to take"),
    (r"hier.release %tb", "hier.front %tb", "slots are left in the stream|blocks forever"),
]


@pytest.mark.parametrize(("old", "new", "said"), FAULTS)
def test_a_fault_in_the_programs_is_refused(old: str, new: str, said: str) -> None:
    text = print_ir(passed(module_of(PRODUCT), "expand-grid,pipeline-dma"))
    faulty, count = re.subn(old, new, text, count=1)
    assert count == 1
    with pytest.raises(Diagnostic, match=said):
        verify_memory(parse_module(new_context(), faulty))


def test_nodes_that_no_link_joins() -> None:
    """Four nodes with memories of their own, which only a link from far reaches."""
    text = PRODUCT.replace("[4, 4, 2] spatial [0, 1]", "[4, 1, 2] spatial [0]").replace(" from neighbour [1]", "")
    text = text.replace("[%k * 8, %j * 4] [8, 4]", "[%k * 8, 0] [8, 16]").replace("[4, 4] in", "[4, 16] in")
    text = (
        text.replace("8x4xi8", "8x16xi8")
        .replace("memref<4x4xi32", "memref<4x16xi32")
        .replace("address 128", "address 320")
    )
    machine = library("four_nodes")
    near = machine.levels[-1].name
    module = parse_module(new_context(), text.replace("NODE", near))
    attach_machine(module, machine)
    with pytest.raises(Diagnostic, match=f"comes from the neighbour in {near}, and no link joins them"):
        verify_memory(module)


MAIN = """
#include <stdio.h>

void network_run(signed char a[256], signed char b[256], int c[256]);

static signed char a[256], b[256];
static int c[256];

int main(void)
{
    if (fread(a, sizeof a, 1, stdin) != 1 || fread(b, sizeof b, 1, stdin) != 1)
        return 1;
    network_run(a, b, c);
    return fwrite(c, sizeof c, 1, stdout) == 1 ? 0 : 1;
}
"""


@pytest.mark.parametrize("flags", [["-O2"], ["-O1", "-fsanitize=thread"]])
def test_threads_compute_the_same(flags: list[str], tmp_path: Path) -> None:
    module = module_of(SEVERAL_STEPS)
    inputs = random_inputs(module, 0)
    (expected,) = run_module(module, inputs).values()
    passed(module, "expand-grid,pipeline-dma,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops")
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["gcc", *strict, *flags, "network.c", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    data = b"".join(array.tobytes() for array in inputs.values())
    for _ in range(5):
        ran = subprocess.run(["./main"], cwd=tmp_path, input=data, capture_output=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        np.testing.assert_array_equal(np.frombuffer(ran.stdout, np.int32).reshape(16, 16), expected)
