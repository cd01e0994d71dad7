// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK-LABEL: func.func @tiles
func.func @tiles(%x: memref<1x27x7x64xi8>, %w: memref<3x3x64xi8>, %y: memref<1x25x5x64xi8>, %sums: memref<5x64xi32>,
    %a: memref<3x40x15xf32>, %b: memref<3x15x40xf32>, %c: memref<10x16xf32>,
    %f: memref<1x30x30x8xf32>, %v: memref<2x3x24x16x1xf32>, %d: memref<14x32xf32>,
    %h: memref<2x3x24x16x1xbf16>, %q: memref<2x3x24x16x1xi8>, %i: index,
    %u: memref<1x34x34x16xi8>, %r: memref<2892xi8>, %e: memref<8x16xi32>) {
  // CHECK-NEXT: packed.depthwise ins(%x, %w : memref<1x27x7x64xi8>, memref<3x3x64xi8>)
  packed.depthwise ins(%x, %w : memref<1x27x7x64xi8>, memref<3x3x64xi8>) outs(%y : memref<1x25x5x64xi8>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = i8}
  // CHECK-NEXT: packed.depthwise_tile %x[%i, %i, %i], %w[%i] into %sums {step = 1 : i64
  packed.depthwise_tile %x[%i, %i, %i], %w[%i] into %sums
      {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>}
      : memref<1x27x7x64xi8>, memref<3x3x64xi8>, memref<5x64xi32>
  // CHECK-NEXT: packed.matmul_tile %a[%i, %i], %b[%i, %i] into %c {columns = 8 : i64}
  packed.matmul_tile %a[%i, %i], %b[%i, %i] into %c {columns = 8 : i64}
      : memref<3x40x15xf32>, memref<3x15x40xf32>, memref<10x16xf32>
  // CHECK-NEXT: packed.dot_tile %f[%i, %i, %i], %v[%i] into %d {step = 1 : i64
  packed.dot_tile %f[%i, %i, %i], %v[%i] into %d
      {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>}
      : memref<1x30x30x8xf32>, memref<2x3x24x16x1xf32>, memref<14x32xf32>
  // CHECK: packed.dot_tile {{.*}} : memref<1x30x30x8xf32>, memref<2x3x24x16x1xbf16>, memref<14x32xf32>
  packed.dot_tile %f[%i, %i, %i], %h[%i] into %d
      {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>}
      : memref<1x30x30x8xf32>, memref<2x3x24x16x1xbf16>, memref<14x32xf32>
  // CHECK: packed.dot_tile {{.*}} : memref<1x30x30x8xf32>, memref<2x3x24x16x1xi8>, memref<14x32xf32>
  packed.dot_tile %f[%i, %i, %i], %q[%i] into %d
      {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>}
      : memref<1x30x30x8xf32>, memref<2x3x24x16x1xi8>, memref<14x32xf32>
  // CHECK-NEXT: packed.ordered_tile %u[%i, %i, %i], %r[%i] into %e {step = 1 : i64
  packed.ordered_tile %u[%i, %i, %i], %r[%i] into %e
      {step = 1 : i64, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, unsigned}
      : memref<1x34x34x16xi8>, memref<2892xi8>, memref<8x16xi32>
  func.return
}
