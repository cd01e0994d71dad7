"""Grids whose tiles are looked up in tables, of random ranges, factors and residencies: every level against NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import DmaStartOp, LookupOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.test.random.networks.integers import examples

CONTEXT = new_context()
LEVELS = ("verify-memory", "expand-grid", "verify-memory", "pipeline-dma", "verify-memory")
TO_C = ("allocate-static", "outline-kernels", "convert-dma-to-loops", "convert-kernels-to-loops", "convert-to-emitc")
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


@dataclass(frozen=True)
class Case:
    """Grid over `bounds`: the tile of point p begins at row table[p, restricted to `used`] * factor + first."""

    bounds: tuple[int, int, int]
    used: tuple[bool, bool, bool]
    tile: tuple[int, int]
    limits: tuple[int, int]
    factor: int
    first: int
    rows: int
    stages: int
    integer: str
    seed: int

    @property
    def table_shape(self) -> tuple[int, ...]:
        return tuple(n if used else 1 for n, used in zip(self.bounds, self.used, strict=True))

    @property
    def starts(self) -> range:
        """The rows at which a tile may begin."""
        low, high = self.limits
        return range(low * self.factor + self.first, (high - 1) * self.factor + self.first + 1)

    @property
    def fits(self) -> bool:
        return self.starts[0] >= 0 and self.starts[-1] + self.tile[0] <= self.rows

    def text(self, *, fill: bool) -> str:
        a, b, c = self.bounds
        height, width = self.tile
        columns = c * width
        indices = ", ".join(name if used else "0" for name, used in zip(("%i", "%j", "%k"), self.used, strict=True))
        offset = f"%t[{indices}] in [{self.limits[0]}, {self.limits[1]}) * {self.factor} + {self.first}"
        table = "x".join(map(str, self.table_shape))
        near = -(-height * width // 8) * 8
        return f"""
func.func @network(%t: memref<{table}x{self.integer}> {{onnx.name = "t"}},
                   %x: memref<{self.rows}x{columns}xi8> {{onnx.name = "x"}},
                   %y: memref<{a}x{b}x{height}x{columns}xi8> {{onnx.name = "y", tilewright.output}}) {{
  hier.grid (%i, %j, %k) in [{a}, {b}, {c}]
      ins(%tt = %t : memref<{table}x{self.integer}>,
          %tx = %x[{offset}, %k * {width}] [{height}, {width}] in "L1" address 0 stages {self.stages}
                {"fill 7 : i8" if fill else ""} : memref<{self.rows}x{columns}xi8>)
      outs(%ty = %y[%i, %j, 0, %k * {width}] [1, 1, {height}, {width}] in "L1" address {near * 4} stages 2
           : memref<{a}x{b}x{height}x{columns}xi8>) {{
    linalg.generic {{indexing_maps = [affine_map<(r, d) -> (r, d)>, affine_map<(r, d) -> (0, 0, r, d)>],
                    iterator_types = ["parallel", "parallel"]}}
        ins(%tx : memref<{height}x{width}xi8, "L1">) outs(%ty : memref<1x1x{height}x{width}xi8, "L1">) {{
    ^bb0(%new: i8, %old: i8):
      linalg.yield %new : i8
    }}
    hier.yield
  }}
  func.return
}}
"""

    def run(self) -> tuple[dict[str, Array], Array]:
        """Return inputs, and the output for them."""
        generator = np.random.default_rng(self.seed)
        (a, b, c), (height, width) = self.bounds, self.tile
        table = generator.integers(*self.limits, self.table_shape)
        x = generator.integers(-128, 128, (self.rows, c * width)).astype(np.int8)
        y = np.empty((a, b, height, c * width), np.int8)
        for i, j, k in product(range(a), range(b), range(c)):
            at = tuple(n if used else 0 for n, used in zip((i, j, k), self.used, strict=True))
            for row in range(height):
                source = int(table[at]) * self.factor + self.first + row
                columns = slice(k * width, (k + 1) * width)
                y[i, j, row, columns] = x[source, columns] if 0 <= source < self.rows else 7
        return {"t": table.astype(INTEGERS[self.integer]), "x": x}, y


@st.composite
def cases(draw: st.DrawFn) -> Case:
    bounds = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    used = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    low = draw(st.integers(-3, 5))
    return Case(
        bounds,
        used,
        (draw(st.integers(1, 4)), draw(st.integers(1, 5))),
        (low, low + draw(st.integers(1, 6))),
        draw(st.integers(1, 4)),
        draw(st.integers(-2, 6)),
        draw(st.integers(4, 40)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from(list(INTEGERS))),
        draw(st.integers(0, 9)),
    )


def lowered(text: str, passes: tuple[str, ...]) -> ModuleOp:
    module = parse_module(CONTEXT, text)
    verify(module)
    for step in parse_pipeline(",".join(passes), all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
    return module


@examples(16)
@given(cases())
def test_every_level_reads_the_tiles_that_the_table_names(case: Case) -> None:
    inputs, expected = case.run()
    text = case.text(fill=not case.fits)
    for passes in ((), LEVELS[:2], LEVELS):
        (found,) = run_module(lowered(text, passes), inputs).values()
        np.testing.assert_array_equal(found, expected, err_msg=str(passes))


@examples(16)
@given(cases())
def test_a_range_is_refused_where_an_entry_leads_out_of_the_operand(case: Case) -> None:
    """Without a fill the grid is proved exactly where all entries of the range lead into the operand."""
    for passes in (
        ("verify-memory",),
        ("expand-grid", "verify-memory"),
        ("expand-grid", "pipeline-dma", "verify-memory"),
    ):
        if case.fits:
            lowered(case.text(fill=False), passes)
            continue
        with pytest.raises(Diagnostic, match=r"rule '(fill|inside)'"):
            lowered(case.text(fill=False), passes)


@examples(2)
@given(cases())
def test_looked_up_tiles_in_c(case: Case) -> None:
    inputs, expected = case.run()
    network = HostNetwork(render(lowered(case.text(fill=not case.fits), (*LEVELS, *TO_C))), sanitize=True)
    (found,) = network.run([inputs[port.name] for port in network.inputs])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.quick
def test_a_table_is_looked_up_once_per_tile() -> None:
    """The entry depends on the outermost dimension alone: each lookup stands with its fetch."""
    case = Case((3, 2, 1), (True, False, False), (2, 4), (0, 8), 1, 0, 16, 2, "i32", 0)
    module = lowered(case.text(fill=False), LEVELS)
    lookups = [op for op in module.walk() if isinstance(op, LookupOp)]
    fetches = [op for op in module.walk() if isinstance(op, DmaStartOp) and op.writes_far is None]
    assert [op.parent for op in lookups] == [op.parent for op in fetches]
    assert len(lookups) == 2


@pytest.mark.quick
@pytest.mark.parametrize("before", ["", "expand-grid,"])
def test_a_part_of_a_kernel_does_not_get_a_tile_that_a_table_chooses(before: str) -> None:
    """The whole kernel says which columns each tile is; a table might repeat some and leave out others."""
    text = """
func.func @network(%a: memref<8x8xi8>, %b: memref<8x16xi8>, %t: memref<4xi32>,
                   %c: memref<8x16xi32> {tilewright.output}) {
  hier.grid (%i) in [4]
      ins(%ta = %a in "L1" address 0 : memref<8x8xi8>,
          %tb = %b[0, %i * 4] [8, 4] in "L1" address 64 stages 2 : memref<8x16xi8>,
          %tt = %t : memref<4xi32>)
      outs(%tc = %c[0, %i * 4] [8, 4] in "L1" address 128 stages 2 : memref<8x16xi32>) {
    nn.matmul ins(%ta, %tb : memref<8x8xi8, "L1">, memref<8x4xi8, "L1">) outs(%tc : memref<8x4xi32, "L1">)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 8, 16, 8>,
         shapes = [array<i64: 8, 8>, array<i64: 8, 16>, array<i64: 8, 16>]}}
    hier.yield
  }
  func.return
}
"""
    lowered(text, (f"{before}verify-memory",))
    with pytest.raises(Diagnostic, match="rule 'whole-kernel'"):
        lowered(text.replace("%b[0, %i * 4]", "%b[0, %t[%i] in [0, 4) * 4]"), (f"{before}verify-memory",))
