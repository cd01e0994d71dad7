// RUN: not opt-tool %s 2>&1 | filecheck %s

// CHECK: expected a record in one axis, lanes in blocks of 16, and all channels
func.func @packed(%x: memref<1x6x6x8xi8>, %w: memref<1x3x6x16x4xi8>, %s: memref<4x16xi32>, %i: index) {
  packed.ordered_tile %x[%i, %i, %i], %w[%i] into %s {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>} : memref<1x6x6x8xi8>, memref<1x3x6x16x4xi8>, memref<4x16xi32>
  func.return
}
