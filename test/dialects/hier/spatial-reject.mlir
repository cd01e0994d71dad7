// RUN: opt-tool %s --split-input-file --verify-diagnostics

// A dimension that the grid does not have.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{spatial dimensions must be among the grid's 2, got [2]}}
  hier.grid (%i, %j) in [4, 2] spatial [2]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// The same dimension twice.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{spatial dimensions must be in ascending order, got [0, 0]}}
  hier.grid (%i, %j) in [4, 2] spatial [0, 0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Buffers of copies are apart: there are none.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{'strides' needs spatial dimensions}}
  hier.grid (%i, %j) in [4, 2] strides {L1 = 64 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Copies at the same addresses of a level that they share.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{'strides' must be a positive number of bytes}}
  hier.grid (%i, %j) in [4, 2] spatial [0] strides {L1 = 0 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Copies come in no order: none is the first.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    // expected-error@+1 {{dimension 0 is spatial; expected a temporal one}}
    hier.first %i { %zero = arith.constant 0 : i8 }
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Copies of copies.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  hier.grid (%i) in [4] spatial [0]
      ins(%ta = %a[%i * 2, 0] [2, 8] in "L2" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, 0] [2, 8] in "L2" address 16 : memref<8x8xi8>) {
    // expected-error@+1 {{a grid with spatial dimensions must not be nested in another one}}
    hier.grid (%j) in [2] spatial [0]
        ins(%ua = %ta[%j, 0] [1, 8] in "L1" address 0 : memref<2x8xi8, "L2">)
        outs(%uc = %tc[%j, 0] [1, 8] in "L1" address 8 : memref<2x8xi8, "L2">) {
      memref.copy %ua, %uc : memref<1x8xi8, "L1"> to memref<1x8xi8, "L1">
      hier.yield
    }
    hier.yield
  }
  func.return
}
