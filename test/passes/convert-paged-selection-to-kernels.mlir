// RUN: opt-tool %s -p convert-paged-selection-to-kernels | filecheck %s

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}

// CHECK-LABEL: func.func @network
// CHECK-NOT:     paged.
// CHECK:         memref.expand_shape %d [[0 : i64], [1 : i64], [2 : i64], [3 : i64, 4 : i64]]
// CHECK:         linalg.generic
// CHECK:           arith.cmpf ogt, %lower, %upper
// CHECK:         scf.for
// CHECK:         linalg.generic {{.*}}outs(%best, %at
// CHECK-NOT:     paged.
func.func @network(%q: memref<1x4x8xf32>, %d: memref<2x4x2x8xf32>, %s: memref<1x4x4xf32>, %position: memref<1xi64>, %table: memref<1x2x2xi32>, %counts: memref<1x2xi32>) {
  paged.score %q against %d into %s : memref<1x4x8xf32>, memref<2x4x2x8xf32> into memref<1x4x4xf32>
  paged.select @kv scores %s at %position into %table, %counts {budget = 2 : i64, reduce = "max"} : memref<1x4x4xf32>, memref<1xi64> into memref<1x2x2xi32>, memref<1x2xi32>
  func.return
}
