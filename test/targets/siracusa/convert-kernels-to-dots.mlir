// RUN: opt-tool %s -p convert-kernels-to-dots | filecheck %s

// Products of bytes run over blocks of 2 rows and 4 features; other kernels stay.
// CHECK-LABEL: func.func @products
// CHECK: cluster.dot
// CHECK-NOT: nn.matmul
// CHECK: linalg.generic
func.func @products(%x: memref<4x16xi8>, %w: memref<8x16xi8>, %s: memref<4x8xi32>, %out: memref<4x8xi32>) {
  nn.matmul ins(%x, %w : memref<4x16xi8>, memref<8x16xi8>) outs(%s : memref<4x8xi32>) {accumulator = i32, transpose_b}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<4x8xi32>) outs(%out : memref<4x8xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  }
  func.return
}
