"""A grid whose points are spread over two copies of an engine, which share a near memory or have one each."""

from __future__ import annotations

GRID = """
func.func @network(%a: memref<8x64xi8>, %c: memref<8x64xi8> {tilewright.output}) {
  hier.grid (%i, %j) in [2, 2] SPATIAL
      ins(%ta = %a[%i * 4 + %j * 2, 0] [2, 64] in "L1" address 0 : memref<8x64xi8>)
      outs(%tc = %c[%i * 4 + %j * 2, 0] [2, 64] in "L1" address 128 : memref<8x64xi8>) {
    nn.ita_max ins(%ta : memref<2x64xi8, "L1">) outs(%tc : memref<2x64xi8, "L1">)
        {levels = 256 : i64, accumulator = i32, element = i8}
    hier.yield
  }
  func.return
}
"""


SHARED, OWN = "spatial [0] strides {L1 = 256 : i64}", "spatial [0]"
