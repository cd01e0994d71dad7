// RUN: opt-tool %s --split-input-file --verify-diagnostics -p "attach-machine{target=%S/../machines/four_cores.toml},verify-memory"

// All copies at one place of a level that they share.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the copies of the grid have their buffers at the same place of L1, which they share (rule 'apart')}}
  hier.grid [4, 2] spatial [0] ins(%a : memref<8x8xi8>) outs(%c : memref<8x8xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 0>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 8>] {
  ^bb0(%i: index, %j: index, %ta: memref<2x4xi8, "L1">, %tc: memref<2x4xi8, "L1">):
    "memref.copy"(%ta, %tc) : (memref<2x4xi8, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}

// -----

// The last copy's buffers leave the level.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the buffer of operand 1 (%c) of the grid leaves L1 (rule 'level')}}
  hier.grid [4, 2] spatial [0] apart {L1 = 21840 : i64} ins(%a : memref<8x8xi8>) outs(%c : memref<8x8xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 0>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, d1 * 4)> in "L1" address 16>] {
  ^bb0(%i: index, %j: index, %ta: memref<2x4xi8, "L1">, %tc: memref<2x4xi8, "L1">):
    "memref.copy"(%ta, %tc) : (memref<2x4xi8, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}
