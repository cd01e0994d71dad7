// RUN: not opt-tool %s 2>&1 | filecheck %s

// CHECK: expected bytes and sums of i32, or f32 throughout
func.func @mixed(%x: memref<1x6x6x8xf32>, %w: memref<1x3x24x16x1xf32>, %s: memref<4x16xi32>, %i: index) {
  packed.dot_tile %x[%i, %i, %i], %w[%i] into %s {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>} : memref<1x6x6x8xf32>, memref<1x3x24x16x1xf32>, memref<4x16xi32>
  func.return
}
