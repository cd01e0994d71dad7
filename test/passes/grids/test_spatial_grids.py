"""Grids over copies of an engine: whichever dimensions are spatial, every level computes the same, and is proved."""

from __future__ import annotations

import random
from contextlib import nullcontext
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import GridOp
from tilewright.dialects.hier.grid import spatial_grid
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.grids.streams import stage_bytes
from tilewright.passes.proof.levels import Placed, placed_in, prove_levels
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.grids.grid_programs import Program, products
from tilewright.test.random.networks.integers import examples

CONTEXT = new_context()
EXPANDED = ("expand-grid", "pipeline-dma")
TO_LOOPS = "allocate-static,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops"
FLAGS = ("-Wall", "-Wextra", "-Werror")


def spread(module: ModuleOp, draw: random.Random) -> bool:
    """
    Let some grids run on copies, along dimensions that are not reduced, in levels that they have or share; returns
    whether one does.
    """
    grids = [op for op in module.walk() if isinstance(op, GridOp)]
    draw.shuffle(grids)
    ends = {each.level: 0 for grid in grids for each in placed_in(grid, {})}
    for grid in grids:
        for each in placed_in(grid, {}):
            ends[each.level] = max(ends[each.level], each.end)
    found = False
    for grid in grids:
        dims = [dim for dim in range(2) if grid.bounds[dim] > 1 and draw.random() < 0.7]
        around = spatial_grid(grid.parent_op()) is not None
        if not dims or around or any(spatial_grid(op) for op in grid.walk()) or "memref.copy" in str(grid.body):
            continue
        levels = sorted({each.level for op in grid.walk() if isinstance(op, GridOp) for each in placed_in(op, {})})
        apart = {level: (ends[level] + 1023) // 8 * 8 for level in levels if draw.random() < 0.5}
        grid.properties["spatial"] = DenseArrayBase.from_list(i64, dims)
        if apart:
            grid.properties["strides"] = DictionaryAttr({name: IntegerAttr(size, i64) for name, size in apart.items()})
        found = True
    verify(module)
    return found


def assert_computes(module: ModuleOp, program: Program, what: str) -> None:
    (found,) = run_module(module, program.inputs).values()
    np.testing.assert_array_equal(found, program.expected, err_msg=what)


def passes_verification(module: ModuleOp) -> bool:
    try:
        verify_memory(module)
    except Diagnostic:
        return False
    return True


def check(program: Program, seed: int, passes: str) -> ModuleOp:
    """What is proved of a grid whose dimensions are temporal is proved of one on copies too."""
    module = parse_module(CONTEXT, program.text)
    is_proved = passes_verification(module)
    has_copies = spread(module, random.Random(seed))
    module = parse_module(CONTEXT, print_ir(module))
    if is_proved:
        verify_memory(module)
    assert_computes(module, program, "grid")
    for step in parse_pipeline(passes, all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
        assert_computes(module, program, step.name)
        if step.name in EXPANDED:
            verify_memory(module)
            assert has_copies == any(isinstance(op, scf.ParallelOp) for op in module.walk())
    return module


@pytest.mark.sample(3)
@examples(12)
@given(products(), st.integers(0, 1 << 16), st.sampled_from(["expand-grid", "expand-grid,pipeline-dma"]))
def test_products_on_copies(program: Program, seed: int, passes: str) -> None:
    check(program, seed, f"{passes},{TO_LOOPS}")


@pytest.mark.nightly
@examples(4)
@given(products(), st.integers(0, 1 << 16))
def test_products_on_copies_in_c(program: Program, seed: int) -> None:
    module = check(program, seed, f"expand-grid,pipeline-dma,{TO_LOOPS},convert-to-emitc")
    network = HostNetwork(render(module), sanitize=True, flags=FLAGS)
    given = [program.inputs[port.name] for port in network.inputs]
    np.testing.assert_array_equal(network.run(given)[0], program.expected)


COPY = """
func.func @network(%a: memref<12x8xi8>, %c: memref<12x8xi8> {{tilewright.output}}) {{
  hier.grid (%i, %j) in [{copies}, 2] spatial [0] strides {{L1 = {apart} : i64}}
      ins(%ta = %a[{start}] [{rows}, 4] in "L1" address {a} stages {stages} : memref<12x8xi8>)
      outs(%tc = %c[{start}] [{rows}, 4] in "L1" address {c} : memref<12x8xi8>) {{
    "memref.copy"(%ta, %tc) : (memref<{rows}x4xi8, "L1">, memref<{rows}x4xi8, "L1">) -> ()
    hier.yield
  }}
  func.return
}}
"""


def bytes_of(buffer: Placed, copy: int, tile: int) -> tuple[set[int], set[int]]:
    """Return the bytes that a copy has for a buffer, and of these the ones that tiles of so many bytes use."""
    size = buffer.end - buffer.address - (buffer.copies - 1) * buffer.stride
    start, stage = buffer.address + copy * buffer.stride, stage_bytes(tile)
    used = {start + byte + turn * stage for turn in range(size // stage) for byte in range(tile)}
    return set(range(start, start + size)), used


@examples(40)
@given(st.data())
def test_copies_are_apart_where_no_byte_is_in_two(data: Any) -> None:
    """The proof of grids, that of transfers, and sets of bytes agree."""
    draw = data.draw
    copies = draw(st.sampled_from([2, 3, 4, 6]))
    numbers = {"apart": draw(st.integers(1, 100)), "a": draw(st.integers(0, 90)), "c": draw(st.integers(0, 90))}
    rows, stages = 12 // copies, draw(st.integers(1, 2))
    start = f"%i * {rows}, %j * 4"
    module = parse_module(CONTEXT, COPY.format(copies=copies, rows=rows, stages=stages, start=start, **numbers))
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    taken = [(copy, *bytes_of(each, copy, rows * 4)) for each in placed_in(grid, {}) for copy in range(copies)]
    overlaps = any(one[1] & two[1] for one, two in combinations(taken, 2))
    races = any(one[2] & two[2] for one, two in combinations(taken, 2) if one[0] != two[0])
    with pytest.raises(Diagnostic, match="rule 'disjoint'") if overlaps else nullcontext():
        prove_levels(grid, {})
    for step in parse_pipeline("expand-grid,pipeline-dma", all_passes()).steps:
        step.run.apply(CONTEXT, module)
        if races or not overlaps:
            with pytest.raises(Diagnostic) if races else nullcontext():
                verify_memory(module)


NEEDS_ANOTHER = """
func.func @network(%a: memref<8xi8> {onnx.name = "a"}, %c: memref<8xi8> {onnx.name = "c", tilewright.output}) {
  hier.grid (%i) in [4] spatial [0]
      ins(%ta = %a[%i * 2 - 4] [2] in "L1" address 0 fill 0 : i8 : memref<8xi8>)
      outs(%tb = %a[%i * 2] [2] in "L1" address 8 : memref<8xi8>,
           %tc = %c[%i * 2] [2] in "L1" address 16 : memref<8xi8>) {
    %one = arith.constant 1 : i8
    linalg.fill ins(%one : i8) outs(%tb : memref<2xi8, "L1">)
    "memref.copy"(%ta, %tc) : (memref<2xi8, "L1">, memref<2xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}
"""


def test_a_copy_does_not_see_what_one_before_it_has_written() -> None:
    """What passes for a loop in row-major order is another program on copies, and is refused."""
    module = parse_module(CONTEXT, NEEDS_ANOTHER)
    (found,) = run_module(module, {"a": np.arange(8, dtype=np.int8)}).values()
    in_order = parse_module(CONTEXT, NEEDS_ANOTHER.replace(" spatial [0]", ""))
    (expected,) = run_module(in_order, {"a": np.arange(8, dtype=np.int8)}).values()
    assert found.tolist() != expected.tolist()
    with pytest.raises(Diagnostic, match="rule 'in-place'"):
        verify_memory(module)


TRIPLED = """
func.func @network(%a: memref<{size}xi8> {{onnx.name = "a"}},
                   %c: memref<{size}xi8> {{onnx.name = "c", tilewright.output}}) {{
  hier.grid (%i, %j) in [{m}, {n}] {spatial}
      ins(%ta = %a[{source}] [{wide}] in "L1" address 0 fill 0 : i8 : memref<{size}xi8>)
      outs(%tc = %a[{target}] [{wide}] in "L1" address 64 : memref<{size}xi8>) {{
    linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel"]}}
        ins(%ta : memref<{wide}xi8, "L1">) outs(%tc : memref<{wide}xi8, "L1">) {{
    ^bb1(%x: i8, %y: i8):
      %three = arith.constant 3 : i8
      %z = arith.muli %x, %three : i8
      linalg.yield %z : i8
    }}
    hier.yield
  }}
  "memref.copy"(%a, %c) : (memref<{size}xi8>, memref<{size}xi8>) -> ()
  func.return
}}
"""


@pytest.mark.sample(13)
@examples(40)
@given(st.data())
def test_in_place_on_copies(data: Any) -> None:
    """What is proved of a grid that works in place computes the same in row-major order and copy by copy, reversed."""
    draw = data.draw
    m, n, wide = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    outer, inner = draw(st.sampled_from([(n, 1), (1, m)]))
    target = f"%i * {outer * wide} + %j * {inner * wide}"
    form = st.sampled_from([outer * wide, inner * wide, -outer * wide, wide, 0])
    source = f"%i * {draw(form)} + %j * {draw(form)} + {draw(st.integers(-6, 6))}"
    source = draw(st.sampled_from([target, target, source]))
    numbers = {"size": m * n * wide, "m": m, "n": n, "wide": wide, "identity": "affine_map<(d0) -> (d0)>"}
    text = TRIPLED.format(source=source, target=target, spatial="SPATIAL", **numbers)
    dims = draw(st.sampled_from(["[0]", "[1]", "[0, 1]"]))
    spread_out = parse_module(CONTEXT, text.replace("SPATIAL", f"spatial {dims}"))
    in_order = parse_module(CONTEXT, text.replace("SPATIAL", ""))
    array = np.asarray(np.random.default_rng(0).integers(-128, 128, m * n * wide), np.int8)
    found, expected = (run_module(module, {"a": array}) for module in (spread_out, in_order))
    if passes_verification(spread_out):
        np.testing.assert_array_equal(found["c"], expected["c"])
        assert passes_verification(in_order)
