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
