// RUN: opt-tool %s --target gemmini -p hoist-configuration | filecheck %s

// The stride of the loads leaves the function, the branch and the loop.
// CHECK-LABEL: func.func private @load
// CHECK-NEXT:    %c16 = arith.constant
// CHECK-NEXT:    %c0 = arith.constant
// CHECK-NEXT:    gemmini.mvin
func.func private @load(%far: memref<64x16xi8>, %near: memref<64x16xi8, "SPAD">) {
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  gemmini.config_ld %far {stride = array<i64: 0, 1>, block = 16 : i64, size = 1 : i64, id = 0 : i64} : memref<64x16xi8>
  gemmini.mvin %far[%c0, %c0], %near[%c0, %c0], %c16, %c16 {id = 0 : i64} : memref<64x16xi8>, memref<64x16xi8, "SPAD">
  func.return
}

// CHECK-LABEL: func.func @network
// CHECK:         gemmini.config_ld %x {stride = array<i64: 0, 1>
// CHECK-NEXT:    scf.for
// CHECK-NOT:     gemmini.config_ld
// CHECK:         gemmini.fence
func.func @network(%x: memref<64x16xi8>, %near: memref<64x16xi8, "SPAD">, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.if %is {
      func.call @load(%x, %near) : (memref<64x16xi8>, memref<64x16xi8, "SPAD">) -> ()
    }
  }
  gemmini.fence
  func.return
}
