// RUN: opt-tool %s --target gemmini -p attach-machine{target=gemmini},map-engines,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s

// The first products of a block of sums overwrite them. A load of 40 columns has two blocks of 16, and 8 of a third one.

// CHECK-LABEL: func.func private @matmul_0
// CHECK-NOT:     gemmini.mvin_acc_zero
// CHECK:         gemmini.compute_preloaded %in0
// CHECK:         scf.for %k = %c1 to %c4
// CHECK:         gemmini.compute_preloaded_add %in0
// CHECK:         gemmini.mvin_columns %{{.*}} {blocks = 2 : i64, cols = 8 : i64, id = 0 : i64}
func.func @network(%a: memref<24x64xi8>, %b: memref<64x40xi8>, %c: memref<24x40xi8>) {
  nn.matmul ins(%a, %b : memref<24x64xi8>, memref<64x40xi8>) outs(%c : memref<24x40xi8>) {accumulator = i32}
      epilogue() at [] {
  ^bb0(%s: i32):
    %f = arith.constant 0.01 : f32
    %t = quant.rescale %s, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  func.return
}
