"""Cycles of products and loads: what planning counts of a kernel is what its instructions take."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.machine.attribute import attach_machine
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


ROWS = 192
BANK = 1 << 16
"""Bytes of a bank of the scratchpad."""


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
    """
    Return a convolution of two blocks of weights, its operands at these addresses of the scratchpad.

    The products of the first block take longer than the load of the second one.
    """
    module = _pointwise(1, ROWS, f"hier.sizes = array<i64: 1, 1, 16, 1, {ROWS}, 32, 1, 1>,")
    for step in parse_pipeline(f"attach-machine{{target={target}}},map-engines,plan-memory", all_passes()).steps:
        run_step(step, module)
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    tiles = [tile.with_address(begins[at]) if at in begins else tile for at, tile in enumerate(grid.tiles)]
    grid.tiles = ArrayAttr(tiles)
    return module


def _places(module: ModuleOp) -> list[int | None]:
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    return [tile.byte_address for tile in grid.tiles]


@pytest.mark.parametrize(("begins", "turns"), [({}, 0), ({0: 0, 1: BANK}, 0), ({0: 0, 1: 32 * ROWS}, 1)])
def test_rows_and_the_next_weights_in_one_bank_take_turns(begins: dict[int, int], turns: int) -> None:
    """Of two preloads, the second one is during products; a kernel counts all 32 rows of the weights."""
    module = _planned_at(begins)
    for step in parse_pipeline("allocate-static,expand-grid", all_passes()).steps:
        run_step(step, module)
    (layer,) = simulate(module).layers
    (op,) = (op for op in _pointwise(1, ROWS).walk() if isinstance(op, ConvOp))
    machine = find_machine("gemmini")
    cycles = machine.cost(machine.engine("array"), op)
    assert cycles is not None
    assert layer.busy == cycles + 32 * turns
    for step in parse_pipeline("outline-kernels,lower-to-gemmini", all_passes()).steps:
        run_step(step, module)
    simulation = simulate(module)
    (execute,) = (engine for engine in simulation.engines if engine.name == "array.execute")
    assert execute.busy == 2 * ROWS + 1 + 16 * turns
    arriving = 16 * turns  # rows of the second block, in the bank that the products read meanwhile
    assert sum(each.conflicts for each in simulation.layers) == 16 * turns + arriving


def test_a_plan_keeps_operands_apart_only_where_banks_have_a_single_port(tmp_path: Path) -> None:
    file = tmp_path / "ports.toml"
    file.write_text('include = "gemmini"\n[levels.SPAD]\nsingle_port = false\n', encoding="utf-8")
    x, w, _ = _places(_planned_at({}))
    assert x is not None
    assert w is not None
    assert x // BANK != w // BANK
    assert _places(_planned_at({}, str(file)))[:2] == [0, ROWS * 32]


def test_a_plan_counts_the_turns_that_banks_force(tmp_path: Path) -> None:
    """In a scratchpad of one bank, all 32 rows of the weights meet others; plan and simulation agree."""
    found = list[int]()
    for banks in (4, 1):
        file = tmp_path / f"{banks}.toml"
        file.write_text(f'include = "gemmini"\n[levels.SPAD]\nbanks = {banks}\n', encoding="utf-8")
        module = _planned_at({}, str(file))
        (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
        found.append(cast("IntegerAttr[Any]", grid.attributes["modelled_cycles"]).value.data)
        for step in parse_pipeline("allocate-static,expand-grid,pipeline-dma", all_passes()).steps:
            run_step(step, module)
        assert simulate(module).cycles == found[-1]
    assert found[1] - found[0] == 32


@pytest.mark.parametrize(("bank", "waits"), [(0, 16), (1, 0)])
def test_products_wait_for_rows_that_are_loaded_into_their_bank(bank: int, waits: int) -> None:
    """16 rows arrive during 20 products of 16 rows each, which are all in the first bank."""
    near, sums = 'memref<16x16xi8, "SPAD">', 'memref<16x16xi32, "ACC">'
    product = f"""gemmini.compute_accumulated %x[%z, %z], %y[%z, %z]
      {{rows = 16 : i64, k = 16 : i64, n = 16 : i64, step = 1 : i64}} : {near}, {sums}
    """
    module = parse_module(
        new_context(),
        f"""
      memref.global @spad : memref<262144xi8, "SPAD"> = uninitialized
      memref.global @acc : memref<65536xi8, "ACC"> = uninitialized
      func.func @network(%far: memref<16x16xi8>) {{
        %z = arith.constant 0 : index
        %rows = arith.constant 16 : index
        %at = arith.constant {bank * BANK + 4096} : index
        %spad = memref.get_global @spad : memref<262144xi8, "SPAD">
        %acc = memref.get_global @acc : memref<65536xi8, "ACC">
        %x = memref.view %spad[%z][] : memref<262144xi8, "SPAD"> to memref<16x16xi8, "SPAD">
        %near = memref.view %spad[%at][] : memref<262144xi8, "SPAD"> to memref<16x16xi8, "SPAD">
        %y = memref.view %acc[%z][] : memref<65536xi8, "ACC"> to memref<16x16xi32, "ACC">
        gemmini.config_ex {{step = 1 : i64}}
        gemmini.config_ld %far {{stride = array<i64: 1, 0>, block = 16 : i64, size = 1 : i64, id = 0 : i64}}
          : memref<16x16xi8>
        {product * 2}
        gemmini.mvin %far[%z, %z], %near[%z, %z], %rows, %rows {{id = 0 : i64}} : memref<16x16xi8>, {near}
        {product * 18}
        gemmini.fence
        func.return
      }}""",
    )
    attach_machine(module, find_machine("gemmini"))
    simulation = simulate(module)
    (layer,) = simulation.layers
    assert layer.conflicts == waits
    issued = 3 * 8
    assert simulation.cycles == issued + 20 * 16 + waits


def test_a_repeated_row_of_sums_is_one_request() -> None:
    """A request takes 10.3 cycles; the accumulators are written a row a cycle."""
    numbers = {"dim": 16, "machine": find_machine("gemmini")}
    found = [[mvin_acc.cycles(rows=rows, repeats=repeats, **numbers) for repeats in (0, 1)] for rows in (4, 16)]
    assert found == [[42, 11], [165, 16]]
