"""Cycles of products and loads: what planning counts of a kernel is what its instructions take."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import GridOp
from tilewright.dialects.nn import ConvOp
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator import simulate
from tilewright.targets.gemmini.dialects.gemmini.instructions import mvin_acc
from tilewright.test.passes.levels import run_step

INSTRUCTIONS = "map-engines,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini"


def _pointwise(lines: int, pixels: int, sizes: str = "") -> ModuleOp:
    """Return a convolution of one point, 32 channels to 16 features, of which a tile has these sizes."""
    x, y = f"memref<1x{lines}x{pixels}x32xi8>", f"memref<1x{lines}x{pixels}x16xi32>"
    w = "memref<16x1x1x32xi8, strided<[1, 512, 512, 16]>>"
    return parse_module(
        new_context(),
        f"""
      func.func @network(%x: {x}, %w: {w}, %y: {y}) {{
        nn.conv ins(%x, %w : {x}, {w}) outs(%y : {y}) {{{sizes} groups = 1 : i64, accumulator = i32,
          strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, channels_last}}
        func.return
      }}""",
    )


@pytest.mark.parametrize(
    ("lines", "pixels", "rows"),
    [(1, 64, 64), (1, 56, 56), (1, 35, 36), (1, 28, 32), (2, 28, 56), (3, 7, 30), (1, 8, 16), (2, 2, 20)],
)
def test_the_product_before_a_preload_has_whole_blocks_of_rows(lines: int, pixels: int, rows: int) -> None:
    """`rows` are the cycles of each of the two blocks of weights."""
    machine = find_machine("gemmini")
    engine = machine.engine("array")
    (op,) = (op for op in _pointwise(lines, pixels).walk() if isinstance(op, ConvOp))
    assert machine.cost(engine, op) == 2 * rows + engine.setup
    pinned = f"hier.sizes = array<i64: 1, 1, 16, {lines}, {pixels}, 32, 1, 1>,"
    module = _pointwise(lines, pixels, pinned)
    for step in parse_pipeline(f"attach-machine{{target=gemmini}},{INSTRUCTIONS}", all_passes()).steps:
        run_step(step, module)
    (execute,) = (engine for engine in simulate(module).engines if engine.name == "array.execute")
    products = [op for op in module.walk() if op.name.startswith("gemmini.compute")]
    assert products[-1].properties["rows"] == IntegerAttr(min(pixels, 16), i64)
    configuration = 1
    assert execute.busy == 2 * rows + configuration
    counter = machine.counter(engine, op)
    assert counter is not None
    assert execute.calls == (counter() or 0) + configuration


def _planned_at(begins: dict[int, int], target: str = "gemmini") -> ModuleOp:
    """Return a convolution of two blocks of weights and 64 rows, its operands at these addresses of the scratchpad."""
    module = _pointwise(1, 64, "hier.sizes = array<i64: 1, 1, 16, 1, 64, 32, 1, 1>,")
    for step in parse_pipeline(f"attach-machine{{target={target}}},map-engines,plan-memory", all_passes()).steps:
        run_step(step, module)
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    tiles = [tile.but(address=IntAttr(begins[at])) if at in begins else tile for at, tile in enumerate(grid.tiles)]
    grid.tiles = ArrayAttr(tiles)
    return module


def _places(module: ModuleOp) -> list[int | None]:
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    return [tile.place for tile in grid.tiles]


BANK = 1 << 16
"""Bytes of a bank of the scratchpad."""


@pytest.mark.parametrize(("begins", "turns"), [({}, 0), ({0: 0, 1: BANK}, 0), ({0: 0, 1: 2048}, 1)])
def test_rows_and_the_next_weights_in_one_bank_take_turns(begins: dict[int, int], turns: int) -> None:
    """Of two preloads, the second one is during products; a kernel counts all 32 rows of the weights."""
    module = _planned_at(begins)
    for step in parse_pipeline("allocate-static,expand-grid", all_passes()).steps:
        run_step(step, module)
    (layer,) = simulate(module).layers
    (op,) = (op for op in _pointwise(1, 64).walk() if isinstance(op, ConvOp))
    machine = find_machine("gemmini")
    assert layer.busy == machine.cost(machine.engine("array"), op) + 32 * turns
    for step in parse_pipeline("outline-kernels,lower-to-gemmini", all_passes()).steps:
        run_step(step, module)
    simulation = simulate(module)
    (execute,) = (engine for engine in simulation.engines if engine.name == "array.execute")
    assert execute.busy == 2 * 64 + 1 + 2 + 16 * turns
    assert sum(each.conflicts for each in simulation.layers) == 16 * turns


def test_a_plan_keeps_operands_apart_only_where_banks_have_a_single_port(tmp_path: Path) -> None:
    file = tmp_path / "ports.toml"
    file.write_text('include = "gemmini"\n[levels.SPAD]\nsingle_port = false\n', encoding="utf-8")
    x, w, _ = _places(_planned_at({}))
    assert x is not None
    assert w is not None
    assert x // BANK != w // BANK
    assert _places(_planned_at({}, str(file)))[:2] == [0, 64 * 32]


def test_a_repeated_row_of_sums_is_one_request() -> None:
    """A request takes 10.3 cycles; the accumulators are written a row a cycle."""
    numbers = {"dim": 16, "machine": find_machine("gemmini")}
    found = [[mvin_acc.cycles(rows=rows, repeats=repeats, **numbers) for repeats in (0, 1)] for rows in (4, 16)]
    assert found == [[42, 11], [165, 16]]
