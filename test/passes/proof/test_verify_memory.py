"""verify-memory: planted faults are found, programs that are right are accepted, refusals show where and when."""

from __future__ import annotations

import random
import time

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.rewriter import Rewriter

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.hier import BufferAttr, DmaStartOp, DmaWaitOp, GridOp, TileAttr
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.memory.building import grid_of
from tilewright.passes.outline_kernels import OutlineKernelsPass
from tilewright.passes.proof.body import prove_body
from tilewright.passes.proof.equal_grids import first_equal_grids
from tilewright.passes.proof.grid import prove_tiles
from tilewright.passes.proof.levels import prove_levels
from tilewright.passes.tiles.group import tiling_of
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.testing.programs.explicit import CONTEXT, expanded_program, grid_program
from tilewright.runtime.testing.programs.grids import tiled_program
from tilewright.test.faults.mutation_faults import FAULTS, Fault, shift_map
from tilewright.test.faults.mutations import Outcomes, judge
from tilewright.test.passes.levels import AFTER_PLAN, run_step, steps
from tilewright.test.passes.random_tilings import cut

PER_KIND = 9
MOSTLY_BENIGN = ("tiled: other fill", "tiled: scratch shifted")
"""Faults that change few results: a fill matters only in the last step, memory beside scratch is often free."""


def refusal(module: ModuleOp) -> Diagnostic:
    """Return why a module is refused."""
    with pytest.raises(Diagnostic) as caught:
        verify_memory(module)
    return caught.value


@pytest.mark.sample(6)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_planted_faults_are_found(fault: Fault) -> None:
    outcomes = Outcomes()
    for number in range(PER_KIND):
        judge(fault, f"test {fault.name} {number}", outcomes)
    assert outcomes.planted == PER_KIND
    assert outcomes.wrong or fault.name in MOSTLY_BENIGN
    assert not outcomes.missed
    assert not outcomes.unexplained


@pytest.mark.parametrize(
    "fault",
    [each for each in FAULTS if each.program not in (grid_program, tiled_program)],
    ids=lambda fault: fault.name,
)
def test_calls_are_judged_like_their_steps(fault: Fault) -> None:
    for number in range(2):
        draw = random.Random(f"calls {fault.name} {number}")
        module = fault.program(draw)
        fault.plant(module, draw)
        inline = is_refused_among_transfers(module)
        OutlineKernelsPass().apply(CONTEXT, module)
        assert any(isinstance(op, CallOp) for op in module.walk())
        assert is_refused_among_transfers(module) == inline


def is_refused_among_transfers(module: ModuleOp) -> bool:
    """Return whether a module is refused, whichever tiles its kernels get."""
    try:
        verify_memory(module, tiles=False)
    except Diagnostic:
        return True
    return False


@pytest.mark.parametrize(("length", "is_right"), [(50, True), (500, False)])
def test_chains_of_calls(length: int, is_right: bool) -> None:
    type = "memref<8xi8>"
    texts = [
        f"""func.func @f{n}(%a: {type}, %c: {type}) {{
          func.call @f{n + 1}(%a, %c) : ({type}, {type}) -> ()
          func.return
        }}"""
        for n in range(length)
    ]
    last = f'"memref.copy"(%a, %c) : ({type}, {type}) -> ()'
    texts.append(f"func.func @f{length}(%a: {type}, %c: {type}) {{ {last} func.return }}")
    module = parse_module(CONTEXT, "\n".join(texts))
    if is_right:
        verify_memory(module)
    else:
        assert "the calls nest too deep" in refusal(module).message


def outer_grids(module: ModuleOp) -> list[GridOp]:
    """Return the grids that are in no other."""
    return [op for function in functions(module) for op in function.body.block.ops if isinstance(op, GridOp)]


def is_refused(grid: GridOp) -> bool:
    """Return whether the tiles or the body of a grid are refused."""
    try:
        for each in (op for op in grid.walk() if isinstance(op, GridOp)):
            prove_tiles(each)
        prove_body(grid)
    except Diagnostic:
        return True
    return False


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "fault", [each for each in FAULTS if each.program in (grid_program, tiled_program)], ids=lambda fault: fault.name
)
def test_a_grid_that_is_refused_is_like_none_that_is_right(fault: Fault) -> None:
    for number in range(PER_KIND):
        draw = random.Random(f"alike {fault.name} {number}")
        right = fault.program(draw)
        wrong = right.clone()
        assert all(
            first_equal_grids([a, b])[b] is a for a, b in zip(outer_grids(right), outer_grids(wrong), strict=True)
        )
        fault.plant(wrong, draw)
        for a, b in zip(outer_grids(right), outer_grids(wrong), strict=True):
            assert first_equal_grids([a, b])[b] is b or not is_refused(b)


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(25))
def test_programs_that_are_right_are_accepted(seed: int) -> None:
    verify_memory(grid_program(random.Random(seed)))
    verify_memory(expanded_program(random.Random(seed)))


@pytest.mark.nightly
@pytest.mark.parametrize("levels", [["L1"], ["L2", "L1"]], ids=["one level", "two levels"])
@pytest.mark.parametrize("name", ["ds-cnn", "mlp", "resnet8"])
def test_networks_are_accepted_after_each_pass(name: str, levels: list[str]) -> None:
    draw = random.Random(f"{name} {levels}")
    module = import_model(zoo.build(name))
    for step in steps("buffers"):
        run_step(step, module)
    for kernel in [op for op in functions(module)[0].body.block.ops if is_kernel(op)]:
        grid = cut(kernel, levels[0], draw)
        for level in levels[1:]:
            for inner in [op for op in grid.body.block.ops if is_kernel(op)]:
                cut(inner, level, draw)
    verify_memory(module)
    for step in parse_pipeline(AFTER_PLAN, all_passes()).steps:
        step.run.apply(CONTEXT, module)
        if has_transfers(module) or name == "mlp":
            verify_memory(module)


def has_transfers(module: ModuleOp) -> bool:
    """Return whether tiles move by transfers: a walk over loops takes a second per 60,000 elements."""
    return any(isinstance(op, GridOp | DmaStartOp) for op in module.walk())


def matmul(rows: int, columns: int, tile: int) -> ModuleOp:
    """Return a matrix product as a grid of square tiles with two stages each."""
    types = f"memref<{rows}x16xi8>", f"memref<16x{columns}xi8>", f"memref<{rows}x{columns}xi32>"
    text = f"""
      func.func @network(%a: {types[0]}, %b: {types[1]}, %c: {types[2]} {{tilewright.output}}) {{
        nn.matmul ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]}) {{accumulator = i32}}
        func.return
      }}"""
    module = parse_module(CONTEXT, text)
    op = functions(module)[0].body.block.first_op
    assert op is not None
    Rewriter.replace_op(op, grid_of(tiling_of(op, [tile, tile, 16]), "L1", [0, 1024, 2048], [2, 2, 2], [0, 1]), [])
    return module


def test_many_steps_take_seconds() -> None:
    module = matmul(800, 400, 8)
    ExpandGridPass().apply(CONTEXT, module)
    start = time.process_time()
    verify_memory(module)
    assert time.process_time() - start < 20, "5,000 steps"


@pytest.mark.quick
def test_large_grids_are_proved_without_walking_through_them() -> None:
    grid = next(op for op in matmul(80_000, 80_000, 8).walk() if isinstance(op, GridOp))
    start = time.process_time()
    prove_levels(grid, {})
    prove_tiles(grid)
    prove_body(grid)
    assert time.process_time() - start < 10, "100,000,000 points"


@pytest.mark.quick
def test_a_refused_grid_shows_point_and_element() -> None:
    module = grid_program(random.Random(3))
    assert shift_map(module, random.Random(1))
    error = refusal(module)
    assert "grid point (" in error.notes[0] or "element [" in error.notes[0]
    assert error.expected
    assert error.where


@pytest.mark.quick
def test_a_refused_address_is_shown() -> None:
    module = matmul(16, 16, 8)
    grid = next(op for op in module.walk() if isinstance(op, GridOp))
    first, second, third = grid.tiles
    near = TileAttr.get(second.extents, second.map, BufferAttr.get("L1", address=8, stages=2))
    grid.properties["tiles"] = ArrayAttr([first, near, third])
    error = refusal(module)
    assert "rule 'disjoint'" in error.message
    assert "address 8 of L1" in error.notes[0]
    assert error.found == "bytes 0 to 255 and 8 to 263"


@pytest.mark.quick
def test_a_race_shows_the_step() -> None:
    module = matmul(32, 16, 8)
    ExpandGridPass().apply(CONTEXT, module)
    waits = [op for op in module.walk() if isinstance(op, DmaWaitOp)]
    Rewriter.erase_op(waits[0])
    error = refusal(module)
    assert "rule 'race'" in error.message
    assert "step = 0" in error.notes[0]
    assert "address" in error.notes[0]
    assert "has not been waited for" in error.found


@pytest.mark.quick
def test_a_wrong_tile_shows_what_is_needed() -> None:
    module = matmul(32, 16, 8)
    ExpandGridPass().apply(CONTEXT, module)
    start = [op for op in module.walk() if isinstance(op, DmaStartOp)][2]
    first, *_ = start.offsets
    start.operands[1] = start.operands[2]
    assert first is not start.offsets[0]
    error = refusal(module)
    assert "rule 'whole-kernel'" in error.message
    assert "needed at" in error.notes[0]


def test_a_memory_that_no_machine_has() -> None:
    text = """
    "memref.global"() <{sym_name = "L1", type = memref<9223372036854775935xi8>, initial_value}> : () -> ()
    func.func @network(%a: memref<1xi8>) {
      %x = memref.get_global @L1 : memref<9223372036854775935xi8>
      func.return
    }
    """
    with pytest.raises(MemoryError, match="9,223,372,036,854,775,935 bytes"):
        verify_memory(parse_module(CONTEXT, text))
