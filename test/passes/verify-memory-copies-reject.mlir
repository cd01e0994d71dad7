// RUN: opt-tool %s --split-input-file --verify-diagnostics -p "attach-machine{target=%S/../machines/four_nodes.toml},verify-memory"

// More copies than there are engines.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the grid runs on 8 copies of 'cluster' (rule 'level')}}
  hier.grid (%i, %j) in [8, 2] spatial [0]
      ins(%ta = %a[%i, %j * 4] [1, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i, %j * 4] [1, 4] in "L1" address 8 : memref<8x8xi8>) {
    nn.ita_max ins(%ta : memref<1x4xi8, "L1">) outs(%tc : memref<1x4xi8, "L1">)
        {levels = 256 : i64, accumulator = i32, element = i8}
    hier.yield
  }
  func.return
}

// -----

// Buffers in a level that has as many copies as the engine are not apart.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the copies of the grid have strides in L1, which has copies itself (rule 'level')}}
  hier.grid (%i, %j) in [4, 2] spatial [0] strides {L1 = 64 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// More than the level has copies.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the grid runs on 8 copies of L1 (rule 'level')}}
  hier.grid (%i, %j) in [8, 2] spatial [0]
      ins(%ta = %a[%i, %j * 4] [1, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i, %j * 4] [1, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<1x4xi8, "L1"> to memref<1x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// An operand that lies in the memory of one copy.
func.func @network(%a: memref<8x8xi8, "L1">, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{operand 0 of the grid lies in one copy of L1 (rule 'level')}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8, "L1">)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}
