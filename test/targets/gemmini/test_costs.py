"""Cycles of products and loads: what planning counts of a kernel is what its instructions take."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
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


def test_a_repeated_row_of_sums_is_one_request() -> None:
    """A request takes 10.3 cycles; the accumulators are written a row a cycle."""
    numbers = {"dim": 16, "machine": find_machine("gemmini")}
    found = [[mvin_acc.cycles(rows=rows, repeats=repeats, **numbers) for repeats in (0, 1)] for rows in (4, 16)]
    assert found == [[42, 11], [165, 16]]
