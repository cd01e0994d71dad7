"""verify-memory on programs that cut reductions, fuse kernels, use views and resident buffers, and nest grids."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.scf import IfOp
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.hier import FirstOp, GridOp, LastOp, ScratchAttr, SourceAttr, TileAttr
from tilewright.dialects.nn.contraction import ContractionOp
from tilewright.errors import Diagnostic
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.proof.body import prove_body
from tilewright.passes.proof.neutral import is_neutral
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.testing.programs.grids import (
    CONTEXT,
    PROGRAMS,
    expanded_tiled_program,
    fused,
    nested,
    reduction,
    resident,
    tiled_program,
)

pytestmark = pytest.mark.quick


def refusal(module: ModuleOp) -> Diagnostic:
    """Return why a module is refused; it comes with a counterexample."""
    with pytest.raises(Diagnostic) as caught:
        verify_memory(module)
    assert "counterexample: " in caught.value.notes[0]
    return caught.value


def drawn(program: Callable[[random.Random], ModuleOp], fits: Callable[[ModuleOp], bool]) -> ModuleOp:
    """Return the first program of a kind that has some property."""
    return next(module for seed in range(200) if fits(module := program(random.Random(seed))))


def guards(module: ModuleOp) -> list[FirstOp | LastOp]:
    """Return the ops that run what is in them at one end of dimensions with several points."""
    found = [op for op in module.walk() if isinstance(op, FirstOp | LastOp)]
    return [op for op in found if min(op.bounds) > 1]


def has_epilogue(module: ModuleOp) -> bool:
    """Return whether sums are used in hier.last."""
    return any(isinstance(op, LastOp) for op in guards(module))


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize("program", dict.fromkeys(PROGRAMS), ids=lambda program: program.__name__)
def test_sound_programs_are_accepted(program: Callable[[random.Random], ModuleOp]) -> None:
    for seed in range(12):
        verify_memory(program(random.Random(seed)))


@pytest.mark.long
def test_sound_programs_are_accepted_with_their_transfers() -> None:
    for seed in range(40):
        verify_memory(expanded_tiled_program(random.Random(seed)))


@pytest.mark.long
def test_programs_compute_what_they_do_without_grids() -> None:
    for seed in range(10):
        draw = random.Random(seed)
        module = reduction(draw)
        inputs = random_inputs(module, seed)
        if not any(isinstance(op, LastOp) for op in module.walk()):
            product = inputs["a"].astype(np.int32) @ inputs["b"].astype(np.int32)
            np.testing.assert_array_equal(run_module(module, inputs)["o"], product)


def test_sums_that_begin_anew_are_refused() -> None:
    module = drawn(reduction, lambda m: bool(guards(m)))
    first = next(op for op in guards(module) if isinstance(op, FirstOp))
    Rewriter.inline_block(first.body.block, InsertPoint.before(first))
    Rewriter.erase_op(first)
    error = refusal(module)
    assert "rule 'whole-kernel'" in error.message
    assert "begin anew" in error.message
    assert "grid point (0, 0, 1)" in error.notes[0]


def test_sums_that_are_used_too_early_are_refused() -> None:
    module = drawn(reduction, has_epilogue)
    last = next(op for op in guards(module) if isinstance(op, LastOp))
    Rewriter.inline_block(last.body.block, InsertPoint.before(last))
    Rewriter.erase_op(last)
    error = refusal(module)
    assert "before its sums are complete" in error.message


def test_incomplete_sums_are_refused_among_transfers() -> None:
    module = drawn(reduction, has_epilogue)
    ExpandGridPass().apply(CONTEXT, module)
    epilogue = next(op for op in module.walk() if op.name == "linalg.generic")
    last = epilogue.parent_op()
    assert isinstance(last, IfOp)
    block = last.true_region.block
    assert block.last_op is not None
    Rewriter.erase_op(block.last_op)
    Rewriter.inline_block(block, InsertPoint.before(last))
    Rewriter.erase_op(last)
    error = refusal(module)
    assert "before its sums are complete" in error.message
    assert "step = 0" in error.notes[0]


def test_steps_that_overwrite_sums_are_refused() -> None:
    module = drawn(reduction, lambda m: bool(guards(m)))
    for kernel in [op for op in module.walk() if isinstance(op, ContractionOp)]:
        del kernel.properties["accumulate"]
    assert "reduces other points" in refusal(module).message
    ExpandGridPass().apply(CONTEXT, module)
    assert "reduces other points" in refusal(module).message


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_tiles_of_tiles_that_are_others_are_refused(seed: int) -> None:
    module = nested(random.Random(seed))
    outer, inner = (op for op in module.walk() if isinstance(op, GridOp))
    grid = outer if seed % 2 else inner
    first, *rest = grid.tiles
    lead = first.map.data
    moved = AffineMapAttr(AffineMap(lead.num_dims, 0, (lead.results[0], lead.results[1] + 1)))
    assert first.own_buffer is not None
    source = SourceAttr.get(fill=IntegerAttr(0, 8))
    other = TileAttr.get(first.extents, moved, first.own_buffer.with_stages(1), source)
    grid.properties["tiles"] = ArrayAttr([other, *rest])
    assert "rule 'whole-kernel'" in refusal(module).message
    ExpandGridPass().apply(CONTEXT, module)
    assert "rule 'whole-kernel'" in refusal(module).message


def test_scratch_is_disjoint_from_tiles() -> None:
    module = drawn(fused, lambda m: True)
    grid = next(op for op in module.walk() if isinstance(op, GridOp))
    (scratch,) = grid.scratches
    tile = next(iter(grid.tiles))
    grid.properties["scratch"] = ArrayAttr([ScratchAttr(scratch.buffer, IntAttr(tile.byte_address or 0))])
    error = refusal(module)
    assert "rule 'disjoint'" in error.message
    assert "scratch 0 (%mid)" in error.message


def test_an_intermediate_made_at_one_point_only_is_refused() -> None:
    module = drawn(fused, lambda m: next(op for op in m.walk() if isinstance(op, GridOp)).bounds[0] > 1)
    producer = next(op for op in module.walk() if isinstance(op, ContractionOp))
    grid = next(op for op in module.walk() if isinstance(op, GridOp))
    guard = FirstOp(grid.point, Region(Block()))
    Rewriter.insert_op(guard, InsertPoint.before(producer))
    producer.detach()
    guard.body.block.add_op(producer)
    error = refusal(module)
    assert "rule 'whole-kernel'" in error.message
    assert "scratch 0 (%mid)" in error.message


def test_a_resident_buffer_is_disjoint_while_it_is_needed() -> None:
    module = drawn(resident, lambda m: True)
    allocation = next(op for op in module.walk() if isinstance(op, memref.AllocOp))
    second = [op for op in module.walk() if isinstance(op, GridOp)][1]
    place = next(tile.byte_address for tile in second.tiles if tile.byte_address is not None)
    allocation.attributes["hier.address"] = IntegerAttr(place, i64)
    error = refusal(module)
    assert "rule 'disjoint'" in error.message
    assert "%t" in error.message


def test_a_resident_buffer_is_aligned() -> None:
    text = """
      func.func @network(%a: memref<4xi32>, %o: memref<4xi32> {tilewright.output}) {
        %t = memref.alloc() {hier.address = 2 : i64} : memref<4xi32, "L1">
        "memref.copy"(%a, %t) : (memref<4xi32>, memref<4xi32, "L1">) -> ()
        "memref.copy"(%t, %o) : (memref<4xi32, "L1">, memref<4xi32>) -> ()
        func.return
      }"""
    assert "rule 'aligned'" in refusal(parse_module(CONTEXT, text)).message


def test_views_stay_inside() -> None:
    module = drawn(resident, lambda m: True)
    grid = next(op for op in module.walk() if isinstance(op, GridOp))
    *tiles, view = grid.tiles
    lead = view.map.data
    moved = AffineMapAttr(AffineMap(lead.num_dims, 0, (lead.results[0] + 1, *lead.results[1:])))
    grid.properties["tiles"] = ArrayAttr([*tiles, TileAttr.get(view.extents, moved)])
    error = refusal(module)
    assert "rule 'inside'" in error.message
    assert "element [" in error.notes[0]


def test_fills_that_change_sums_are_known() -> None:
    kernels = [op for op in reduction(random.Random(0)).walk() if isinstance(op, ContractionOp)]
    (body,) = kernels[0].core().reductions
    zero, one = (IntegerAttr(number, 8) for number in (0, 1))
    assert is_neutral(body, {0: zero})
    assert is_neutral(body, {1: zero})
    assert not is_neutral(body, {0: one})
    assert not is_neutral(body, {})


def test_large_reductions_are_proved_without_walking_through_them() -> None:
    text = """
      hier.grid (%i, %j, %k) in [4000, 5000, 6000]
          ins(%ta = %a[%i * 8, %k * 8] [8, 8] in "L1" address 0 : memref<32000x48000xi8>,
              %tb = %b[%k * 8, %j * 8] [8, 8] in "L1" address 64 : memref<48000x40000xi8>)
          outs(%to = %o[%i * 8, %j * 8] [8, 8] in "L1" address 128 : memref<32000x40000xi32>) {
        %zero = arith.constant 0 : i32
        hier.first %k { linalg.fill ins(%zero : i32) outs(%to : memref<8x8xi32, "L1">) }
        nn.matmul ins(%ta, %tb : memref<8x8xi8, "L1">, memref<8x8xi8, "L1">) outs(%to : memref<8x8xi32, "L1">)
            {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 32000, 40000, 48000>,
             maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                     affine_map<(d0, d1, d2) -> (d0, d1)>],
             fills = [unit, unit, unit],
             shapes = [array<i64: 32000, 48000>, array<i64: 48000, 40000>, array<i64: 32000, 40000>]}}
        hier.yield
      }"""
    types = "%a: memref<32000x48000xi8>, %b: memref<48000x40000xi8>, %o: memref<32000x40000xi32>"
    module = parse_module(CONTEXT, f"func.func @network({types}) {{ {text}\n func.return }}")
    start = time.process_time()
    prove_body(next(op for op in module.walk() if isinstance(op, GridOp)))
    assert time.process_time() - start < 5, "120,000,000,000 points"


@pytest.mark.long
def test_random_programs_of_all_kinds_are_drawn() -> None:
    names = {type(op).__name__ for seed in range(30) for op in tiled_program(random.Random(seed)).walk()}
    assert {"FirstOp", "LastOp", "GridOp", "AllocOp", "ConvOp", "ReduceOp"} <= names
