"""The C of a program is one file that compiles alone, without warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.toolchain import STRICT, compile_shared
from tilewright.test.passes.emitc.c_programs import program_of

HALVES = """
func.func @network(%x: memref<3xf16>, %y: memref<3xbf16> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<3xf16>
  %w = arith.addf %v, %v : f16
  %e = arith.extf %w : f16 to f32
  %t = arith.truncf %e : f32 to bf16
  memref.store %t, %y[%c0] : memref<3xbf16>
  func.return
}"""
INDICES = """
memref.global "private" constant @g : memref<2x2xindex> = dense<[[-2, 3], [4, NUMBER]]>
func.func @network(%y: memref<2x2xindex> {tilewright.output}) {
  %g = memref.get_global @g : memref<2x2xindex>
  memref.copy %g, %y : memref<2x2xindex> to memref<2x2xindex>
  func.return
}"""
ONLY_WRITTEN = """
func.func @network(%x: i32, %y: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<4xi32>
  %b = memref.alloca() : memref<4xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %a[%i] : memref<4xi32>
    memref.store %x, %b[%i] : memref<4xi32>
  }
  %v = memref.load %b[%c1] : memref<4xi32>
  memref.store %v, %y[%c0] : memref<1xi32>
  func.return
}"""


@pytest.mark.parametrize("text", [HALVES, INDICES.replace("NUMBER", "5"), ONLY_WRITTEN])
def test_programs_compile_alone(text: str, tmp_path: Path) -> None:
    source = tmp_path / "network.c"
    source.write_text(program_of(text).text())
    compile_shared([source], [*STRICT, "-Wextra"])


def test_constant_indices_have_the_type_of_indices() -> None:
    assert "int32_t network_g[4]" in program_of(INDICES.replace("NUMBER", "5")).text()
    with pytest.raises(Diagnostic, match="beyond int32_t"):
        program_of(INDICES.replace("NUMBER", "2147483648"))


def test_arrays_that_nothing_reads_are_dropped() -> None:
    assert program_of(ONLY_WRITTEN).body.count("[4]") == 1
