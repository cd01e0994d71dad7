// RUN: opt-tool %s -p flatten-pixels | filecheck %s

// Rows with a gap after them are no single row, nor are windows of several taps, strides, or sums of bytes.

// CHECK-LABEL: func.func @kept
// CHECK-NOT:     memref.reinterpret_cast
func.func @kept(
  %gaps: memref<1x7x7x8xf32, strided<[576, 72, 8, 1], offset: 80>>, %x: memref<1x7x7x8xf32>, %w: memref<1x1x8x16x1xf32>,
  %taps: memref<1x3x24x16x1xf32>, %o: memref<1x7x7x16xf32>, %few: memref<1x5x5x16xf32>, %strided: memref<1x4x4x16xf32>,
  %bytes: memref<1x7x7x8xi8>, %u: memref<1x1x2x16x4xi8>, %sums: memref<1x7x7x16xi32>
) {
  packed.conv ins(%gaps, %w : memref<1x7x7x8xf32, strided<[576, 72, 8, 1], offset: 80>>, memref<1x1x8x16x1xf32>) outs(%o : memref<1x7x7x16xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, accumulator = f32}
  packed.conv ins(%x, %taps : memref<1x7x7x8xf32>, memref<1x3x24x16x1xf32>) outs(%few : memref<1x5x5x16xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = f32}
  packed.conv ins(%x, %w : memref<1x7x7x8xf32>, memref<1x1x8x16x1xf32>) outs(%strided : memref<1x4x4x16xf32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, accumulator = f32}
  packed.conv ins(%bytes, %u : memref<1x7x7x8xi8>, memref<1x1x2x16x4xi8>) outs(%sums : memref<1x7x7x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, accumulator = i32}
  func.return
}
