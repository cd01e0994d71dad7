// RUN: opt-tool %s -p flatten-pixels | filecheck %s

// The pixels of two images, and of the residual, become one row; the bias has none.

// CHECK-LABEL: func.func @pointwise
// CHECK:         %[[X:.*]] = memref.reinterpret_cast %x {{.*}} : memref<2x7x7x8xf32> to memref<1x1x98x8xf32>
// CHECK:         %[[R:.*]] = memref.reinterpret_cast %r {{.*}} : memref<2x7x7x32xf32> to memref<1x1x98x32xf32>
// CHECK:         %[[O:.*]] = memref.reinterpret_cast %o {{.*}} : memref<2x7x7x32xf32> to memref<1x1x98x32xf32>
// CHECK:         packed.conv ins(%[[X]], %w : {{.*}}) outs(%[[O]] : memref<1x1x98x32xf32>) {{.*}} epilogue(%[[R]], %b :
func.func @pointwise(
  %x: memref<2x7x7x8xf32>, %w: memref<2x1x8x16x1xf32>, %r: memref<2x7x7x32xf32>, %b: memref<32xf32>, %o: memref<2x7x7x32xf32>
) {
  packed.conv ins(%x, %w : memref<2x7x7x8xf32>, memref<2x1x8x16x1xf32>) outs(%o : memref<2x7x7x32xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, accumulator = f32}
    epilogue(%r, %b : memref<2x7x7x32xf32>, memref<32xf32>)
    at [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: f32, %more: f32, %bias: f32):
    %a = arith.addf %sum, %more : f32
    %y = arith.addf %a, %bias : f32
    linalg.yield %y : f32
  }
  func.return
}

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
