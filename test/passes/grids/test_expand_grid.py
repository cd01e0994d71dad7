"""Grids, as loops and as C, with transfers in place or overlapping with work: every level computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Interpreter, load_rules, random_inputs, run_module
from tilewright.test.machines.make import machine
from tilewright.test.passes.grids.grid_programs import Program, products
from tilewright.test.passes.plans import on_buffers, planned
from tilewright.test.random.networks.integers import examples

CONTEXT = new_context()
EXPAND = "expand-grid"
OVERLAPPING = "expand-grid,pipeline-dma"
TO_LOOPS = "allocate-static,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops"
FLAGS = ("-Wall", "-Wextra", "-Werror")


def parsed(program: Program) -> ModuleOp:
    module = parse_module(CONTEXT, program.text)
    verify(module)
    return module


def run(passes: str, module: ModuleOp, program: Program) -> None:
    """Run passes; after each the module must still compute what it should."""
    for step in parse_pipeline(passes, all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
        assert_computes(module, program, step.name)


def assert_computes(module: ModuleOp, program: Program, what: str) -> None:
    (found,) = run_module(module, program.inputs).values()
    np.testing.assert_array_equal(found, program.expected, err_msg=what)


def check(program: Program, passes: str) -> None:
    module = parsed(program)
    assert_computes(module, program, "grid")
    run(passes, module, program)


def check_in_c(program: Program, passes: str) -> None:
    """Compile for the sanitisers; the program runs twice in one process."""
    module = parsed(program)
    run(f"{passes},{TO_LOOPS},convert-to-emitc", module, program)
    network = HostNetwork(render(module), sanitize=True, flags=FLAGS)
    given = [program.inputs[port.name] for port in network.inputs]
    np.testing.assert_array_equal(network.run(given)[0], program.expected)


@pytest.mark.sample(4)
@examples(24)
@given(products(), st.sampled_from([EXPAND, OVERLAPPING]))
def test_products_in_tiles(program: Program, passes: str) -> None:
    check(program, f"{passes},{TO_LOOPS}")


@examples(5)
@given(products(), st.sampled_from([EXPAND, OVERLAPPING]))
def test_products_in_tiles_in_c(program: Program, passes: str) -> None:
    check_in_c(program, passes)


CONVOLUTIONS = """
func.func @network(%x: memref<1x2x12x7xi8> {onnx.name = "x"}, %w: memref<3x2x3x3xi8> {onnx.name = "w"},
                   %v: memref<4x3x3x3xi32> {onnx.name = "v"},
                   %y: memref<1x4x8x3xi32> {onnx.name = "y", tilewright.output}) {
  hier.grid (%i, %j) in [2, 2]
      ins(%tx = %x[0, 0, %i * 4, 0] [1, 2, 8, 7] in "L1" address 0 stages 2 : memref<1x2x12x7xi8>,
          %tw = %w : memref<3x2x3x3xi8>,
          %tv = %v[%j * 2, 0, 0, 0] [2, 3, 3, 3] in "L1" address 224 stages 2 : memref<4x3x3x3xi32>)
      outs(%ty = %y[0, %j * 2, %i * 4, 0] [1, 2, 4, 3] : memref<1x4x8x3xi32>)
      scratch(%mid : memref<1x3x6x5xi32, "L1"> address 1024) {
    hier.first %j {
      nn.conv ins(%tx, %tw : memref<1x2x8x7xi8, "L1">, memref<3x2x3x3xi8>) outs(%mid : memref<1x3x6x5xi32, "L1">)
          {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
           accumulator = i32}
    }
    nn.conv ins(%mid, %tv : memref<1x3x6x5xi32, "L1">, memref<2x3x3x3xi32, "L1">)
        outs(%ty : memref<1x2x4x3xi32, strided<[96, 24, 3, 1], offset: ?>>)
        {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
         accumulator = i32, wraps}
    hier.yield
  }
  func.return
}
"""


def convolved(x: Array, w: Array) -> Array:
    """Return a convolution without padding."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int32), (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w.astype(np.int32), dtype=np.int32)


def convolutions() -> Program:
    """Return two convolutions in one grid: what is between them is made once for two tiles of the second."""
    generator = np.random.default_rng(3)
    x, w, v = (generator.integers(-128, 128, shape) for shape in ((1, 2, 12, 7), (3, 2, 3, 3), (4, 3, 3, 3)))
    inputs: dict[str, Array] = {"x": x.astype(np.int8), "w": w.astype(np.int8), "v": v.astype(np.int32)}
    return Program(CONVOLUTIONS, inputs, convolved(convolved(x, w), v))


@pytest.mark.parametrize("passes", [EXPAND, OVERLAPPING])
def test_two_convolutions_in_one_grid(passes: str) -> None:
    check_in_c(convolutions(), passes)


OUTER_ENDS = """
func.func @network(%a: memref<3x8xi8> {onnx.name = "a"}, %c: memref<3xi32> {onnx.name = "c", tilewright.output}) {
  hier.grid (%i, %ko) in [3, 2]
      ins(%ta = %a[%i, %ko * 4] [1, 4] in "L2" address 0 stages 2 : memref<3x8xi8>)
      outs(%tc = %c[%i] [1] in "L2" address 16 stages 2 : memref<3xi32>)
      scratch(%sum : memref<1xi32, "L1"> address 32) {
    hier.grid (%ki) in [2]
        ins(%tta = %ta[0, %ki * 2] [1, 2] in "L1" address 0 stages 2 : memref<1x4xi8, "L2">)
        outs(%out = %tc : memref<1xi32, "L2">,
             %total = %sum : memref<1xi32, "L1">) {
      %zero = arith.constant 0 : i32
      hier.first %ko, %ki { linalg.fill ins(%zero : i32) outs(%total : memref<1xi32, "L1">) }
      nn.reduce ins(%tta : memref<1x2xi8, "L1">) outs(%total : memref<1xi32, "L1">)
          {kind = "sum", axes = array<i64: 1>, accumulator = i32, accumulate}
      hier.last %ki, %ko { "memref.copy"(%total, %out) : (memref<1xi32, "L1">, memref<1xi32, "L2">) -> () }
      hier.yield
    }
    hier.yield
  }
  func.return
}
"""


@pytest.mark.parametrize("passes", [EXPAND, OVERLAPPING])
def test_ends_of_a_grid_around(passes: str) -> None:
    a = np.arange(24, dtype=np.int8).reshape(3, 8)
    check_in_c(Program(OUTER_ENDS, {"a": a}, a.sum(axis=1, dtype=np.int32)), passes)


COPY = """
func.func @{name}(%a: memref<20xi8> {{onnx.name = "a"}}, %c: memref<20xi8> {{onnx.name = "c", tilewright.output}}) {{
  hier.grid (%i) in [5]
      ins(%ta = %a[%i * 4] [4] in "L1" address 0 stages 2 : memref<20xi8>)
      outs(%tc = %c[%i * 4] [4] : memref<20xi8>) {{
    "memref.copy"(%ta, %tc) : (memref<4xi8, "L1">, memref<4xi8, strided<[1], offset: ?>>) -> ()
    hier.yield
  }}
  func.return
}}
"""


@pytest.mark.quick
def test_two_functions_have_memories_and_copiers_of_their_own() -> None:
    module = parse_module(CONTEXT, COPY.format(name="one") + COPY.format(name="two"))
    a = np.arange(20, dtype=np.int8)
    for step in parse_pipeline(f"{OVERLAPPING},{TO_LOOPS}", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
    load_rules(module)
    runner = Interpreter(module)
    for name in ("one", "two"):
        c = np.zeros_like(a)
        runner.call(name, [a, c])
        np.testing.assert_array_equal(c, a)


VIEWS = """
func.func @network(%a: memref<8x6xi8>, %c: memref<8x6xi8>) {{
  {grids}
  func.return
}}
"""
VIEWED = """
  hier.grid (%i) in [{count}]
      ins(%ta = %a[%i * 2, {column}] [2, 3] : memref<8x6xi8>)
      outs(%tc = %c[%i * 2, {column}] [2, 3] : memref<8x6xi8>) {{
    linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                     iterator_types = ["parallel", "parallel"]}}
        ins(%ta : memref<2x3xi8, strided<[6, 1], offset: ?>>) outs(%tc : memref<2x3xi8, strided<[6, 1], offset: ?>>)
        attrs = {{hier.kernel = {{bounds = array<i64: {count}, 3>}}}} {{
    ^bb1(%x: i8, %y: i8):
      linalg.yield %x : i8
    }}
    hier.yield
  }}
"""


@pytest.mark.quick
def test_views_of_one_shape_share_a_kernel() -> None:
    grids = [VIEWED.format(count=count, column=column) for count, column in ((4, 0), (2, 3))]
    module = parse_module(CONTEXT, VIEWS.format(grids="".join(grids)))
    for step in parse_pipeline(f"{EXPAND},outline-kernels", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
    private = [function for function in functions(module) if function.sym_name.data != "network"]
    assert len(private) == 1


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "l1", "passes"),
    [("mlp", 1 << 10, EXPAND), ("mlp", 1 << 10, OVERLAPPING), ("ds-cnn", 8 << 10, OVERLAPPING)],
)
def test_planned_networks_in_c(name: str, l1: int, passes: str) -> None:
    module = on_buffers(import_model(zoo.build(name)))
    inputs = random_inputs(module, 0)
    (expected,) = run_module(module, inputs).values()
    module = planned(module, machine(l1), l1)
    for step in parse_pipeline(f"{passes},{TO_LOOPS},convert-to-emitc", all_passes()).steps:
        step.run.apply(CONTEXT, module)
    network = HostNetwork(render(module), sanitize=True, flags=FLAGS)
    given = [inputs[port.name].reshape(port.shape) for port in network.inputs]
    np.testing.assert_array_equal(network.run(given)[0], expected.reshape(network.outputs[0].shape))
