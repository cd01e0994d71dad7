// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// Dimensions along copies of the engine, each with buffers of its own at the same addresses.

// CHECK-LABEL: func.func @own
// CHECK:         hier.grid [4, 2] spatial [0] ins(%a : memref<8x8xi8>) outs(%c : memref<8x8xi8>) tiles [#hier.tile
func.func @own(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  hier.grid [4, 2] spatial [0] ins(%a : memref<8x8xi8>) outs(%c : memref<8x8xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 0>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 8>] {
  ^bb0(%i: index, %j: index, %ta: memref<2x4xi8, "L1">, %tc: memref<2x4xi8, "L1">):
    "memref.copy"(%ta, %tc) : (memref<2x4xi8, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}

// In a level that the copies share, their buffers are apart; two dimensions may be spatial, and any of them.

// CHECK-LABEL: func.func @shared
// CHECK:         hier.grid [4, 3, 2] spatial [0, 2] apart {L1 = 16 : i64} ins(%a
func.func @shared(%a: memref<8x12xi8>, %c: memref<8x12xi8>) {
  hier.grid [4, 3, 2] spatial [0, 2] apart {L1 = 16 : i64} ins(%a : memref<8x12xi8>) outs(%c : memref<8x12xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1, d2) -> (d0 * 2, d1 * 4 + d2 * 2)> in "L1" address 0>,
             #hier.tile<[2, 2] at affine_map<(d0, d1, d2) -> (d0 * 2, d1 * 4 + d2 * 2)> in "L1" address 8>] {
  ^bb0(%i: index, %j: index, %k: index, %ta: memref<2x2xi8, "L1">, %tc: memref<2x2xi8, "L1">):
    "memref.copy"(%ta, %tc) : (memref<2x2xi8, "L1">, memref<2x2xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}
