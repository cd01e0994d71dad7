// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+2 {{expected matrices [..., M, K] and [..., K, N]}}
func.func @inner(%a: memref<8x40x15xf32>, %b: memref<8x16x40xf32>, %o: memref<8x40x40xf32>) {
  packed.matmul ins(%a, %b : memref<8x40x15xf32>, memref<8x16x40xf32>) outs(%o : memref<8x40x40xf32>) {accumulator = f32}
  func.return
}

// -----

// expected-error@+2 {{lanes in blocks of 16}}
func.func @lanes(%a: memref<40x15xf32>, %b: memref<15x40xf32>, %s: memref<10x8xf32>, %i: index) {
  packed.matmul_tile %a[%i], %b[%i] into %s {columns = 8 : i64} : memref<40x15xf32>, memref<15x40xf32>, memref<10x8xf32>
  func.return
}

// -----

// expected-error@+2 {{do not have 3 parts}}
func.func @parts(%x: memref<1x4x4x8xf32>, %w: memref<3x1x4x16x1xf32>, %o: memref<1x4x4x32xf32>) {
  packed.conv ins(%x, %w : memref<1x4x4x8xf32>, memref<3x1x4x16x1xf32>) outs(%o : memref<1x4x4x32xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, parts = 3 : i64, accumulator = f32}
  func.return
}
