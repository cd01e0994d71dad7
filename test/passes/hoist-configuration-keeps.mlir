// RUN: opt-tool %s --target gemmini -p hoist-configuration | filecheck %s

// Two settings of one register take turns in the loop.
// CHECK-LABEL: func.func @turns
// CHECK:         scf.for
// CHECK-NEXT:      gemmini.config_ex {step = 1 : i64}
// CHECK-NEXT:      gemmini.config_ex {step = 2 : i64}
func.func @turns() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    gemmini.config_ex {step = 1 : i64}
    gemmini.config_ex {step = 2 : i64}
  }
  gemmini.fence
  func.return
}

// A load before reads the stride that the loop finds; the loads behind a branch read the one before it.
// CHECK-LABEL: func.func @read
// CHECK:         scf.for
// CHECK:           gemmini.mvin
// CHECK-NEXT:      gemmini.config_ld {{.*}}block = 16
// CHECK:         scf.if
// CHECK-NEXT:      gemmini.config_ld {{.*}}block = 32
func.func @read(%x: memref<64x16xi8>, %near: memref<64x16xi8, "SPAD">, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  gemmini.config_ld %x {stride = array<i64: 0, 1>, block = 8 : i64, size = 1 : i64, id = 0 : i64} : memref<64x16xi8>
  scf.for %i = %c0 to %c4 step %c1 {
    gemmini.mvin %x[%c0, %c0], %near[%c0, %c0], %c16, %c16 {id = 0 : i64} : memref<64x16xi8>, memref<64x16xi8, "SPAD">
    gemmini.config_ld %x {stride = array<i64: 0, 1>, block = 16 : i64, size = 1 : i64, id = 0 : i64} : memref<64x16xi8>
  }
  scf.if %is {
    gemmini.config_ld %x {stride = array<i64: 0, 2>, block = 32 : i64, size = 1 : i64, id = 0 : i64} : memref<64x16xi8>
  }
  gemmini.mvin %x[%c0, %c0], %near[%c0, %c0], %c16, %c16 {id = 0 : i64} : memref<64x16xi8>, memref<64x16xi8, "SPAD">
  gemmini.fence
  func.return
}
