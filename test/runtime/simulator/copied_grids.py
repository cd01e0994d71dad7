"""A grid whose points are spread over two copies of an engine, which share a near memory or have one each."""

from __future__ import annotations

GRID = """
func.func @network(%a: memref<8x64xi8>, %c: memref<8x64xi8> {tilewright.output}) {
  hier.grid [2, 2] SPATIAL ins(%a : memref<8x64xi8>) outs(%c : memref<8x64xi8>)
      tiles [#hier.tile<[2, 64] at affine_map<(d0, d1) -> (d0 * 4 + d1 * 2, 0)> in "L1" address 0>,
             #hier.tile<[2, 64] at affine_map<(d0, d1) -> (d0 * 4 + d1 * 2, 0)> in "L1" address 128>] {
  ^bb0(%i: index, %j: index, %ta: memref<2x64xi8, "L1">, %tc: memref<2x64xi8, "L1">):
    nn.ita_max ins(%ta : memref<2x64xi8, "L1">) outs(%tc : memref<2x64xi8, "L1">)
        {levels = 256 : i64, accumulator = i32, element = i8}
    hier.yield
  }
  func.return
}
"""


SHARED, OWN = "spatial [0] apart {L1 = 256 : i64}", "spatial [0]"
