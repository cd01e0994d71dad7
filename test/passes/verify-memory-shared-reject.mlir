// RUN: opt-tool %s --split-input-file --verify-diagnostics -p "attach-machine{target=%S/../machines/four_cores.toml},verify-memory"

// All copies at one place of a level that they share.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the copies of the grid have their buffers at the same addresses of L1, which they share (rule 'disjoint')}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// The last copy's buffers leave the level.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the buffer of operand 1 (%c) of the grid leaves L1 (rule 'level')}}
  hier.grid (%i, %j) in [4, 2] spatial [0] strides {L1 = 21840 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 16 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}
