// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// Dimensions along copies of the engine, each with buffers of its own at the same addresses.

// CHECK-LABEL: func.func @own
// CHECK:         hier.grid (%i, %j) in [4, 2] spatial [0]
// CHECK-NEXT:      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
// CHECK-NEXT:      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
func.func @own(%a: memref<8x8xi8>, %c: memref<8x8xi8>) {
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// In a level that the copies share, their buffers are apart; two dimensions may be spatial, and any of them.

// CHECK-LABEL: func.func @shared
// CHECK:         hier.grid (%i, %j, %k) in [4, 3, 2] spatial [0, 2] strides {L1 = 16 : i64}
// CHECK-NEXT:      ins(%ta = %a[%i * 2, %j * 4 + %k * 2] [2, 2] in "L1" address 0 : memref<8x12xi8>)
func.func @shared(%a: memref<8x12xi8>, %c: memref<8x12xi8>) {
  hier.grid (%i, %j, %k) in [4, 3, 2] spatial [0, 2] strides {L1 = 16 : i64}
      ins(%ta = %a[%i * 2, %j * 4 + %k * 2] [2, 2] in "L1" address 0 : memref<8x12xi8>)
      outs(%tc = %c[%i * 2, %j * 4 + %k * 2] [2, 2] in "L1" address 8 : memref<8x12xi8>) {
    memref.copy %ta, %tc : memref<2x2xi8, "L1"> to memref<2x2xi8, "L1">
    hier.yield
  }
  func.return
}
