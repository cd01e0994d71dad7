// RUN: not opt-tool %s 2>&1 | filecheck %s

// CHECK: expected x, w and sums of i8, i8, i32 or f32, f32, f32 or f32, bf16, f32 or f32, i8, f32
func.func @mixed(%x: memref<1x6x6x8xf32>, %w: memref<1x3x24x16x1xf32>, %s: memref<4x16xi32>, %i: index) {
  packed.dot_tile %x[%i, %i, %i], %w[%i] into %s {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>} : memref<1x6x6x8xf32>, memref<1x3x24x16x1xf32>, memref<4x16xi32>
  func.return
}
