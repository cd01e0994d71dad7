// RUN: opt-tool %s --line-width=0 | opt-tool --line-width=0 | filecheck %s
// RUN: opt-tool %s --line-width=0 --mlir-print-op-generic | opt-tool --line-width=0 | filecheck %s

// CHECK:      cluster.fork @share(%x, %y) {cores = 8 : i64} : memref<4x8xi8, "L1">, memref<4xi8, "L1">
func.func @kernel(%x: memref<4x8xi8, "L1">, %y: memref<4xi8, "L1">) {
  cluster.fork @share(%x, %y) {cores = 8 : i64} : memref<4x8xi8, "L1">, memref<4xi8, "L1">
  func.return
}

func.func private @share(%x: memref<4x8xi8, "L1">, %y: memref<4xi8, "L1">, %core: index) {
  func.return
}

// CHECK:      %group = cluster.dma_begin : i32
// CHECK-NEXT: cluster.dma_in %far[%i, %j], %near[%i, %j] rows %n of %n {axis = 0 : i64} : memref<16x64xi8>, memref<8x64xi8, "L1">
// CHECK-NEXT: cluster.dma_out %far[%i, %j], %near[%i, %j] rows %n of %n {axis = 1 : i64} : memref<16x64xi8>, memref<8x64xi8, "L1">
// CHECK-NEXT: cluster.dma_wait %group : i32
func.func @transfers(%far: memref<16x64xi8>, %near: memref<8x64xi8, "L1">, %i: index, %j: index, %n: index) {
  %group = cluster.dma_begin : i32
  cluster.dma_in %far[%i, %j], %near[%i, %j] rows %n of %n {axis = 0 : i64} : memref<16x64xi8>, memref<8x64xi8, "L1">
  cluster.dma_out %far[%i, %j], %near[%i, %j] rows %n of %n {axis = 1 : i64} : memref<16x64xi8>, memref<8x64xi8, "L1">
  cluster.dma_wait %group : i32
  func.return
}

// CHECK:      cluster.dot %x[%i, %i, %i, %i], %w[%i, %i, %i, %i] rows %i of %i into %sums
// CHECK-SAME: unsigned
func.func @dot(%x: memref<1x8x8x16xi8>, %w: memref<32x3x3x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot %x[%i, %i, %i, %i], %w[%i, %i, %i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 2, 1>, w_axes = array<i64: 0, 1>, steps = array<i64: 1, 1>, unsigned}
    : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>, memref<2x4xi32>
  func.return
}

// CHECK:      cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
// CHECK-SAME: bits = 4 : i64, unsigned_weights}
func.func @packed_dot(%x: memref<8x13xi8>, %w: memref<32x8xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, bits = 4 : i64, unsigned_weights}
    : memref<8x13xi8>, memref<32x8xi8>, memref<2x4xi32>
  func.return
}

// CHECK: cluster.dot {{.*}} bits = 2 : i64, unsigned_weights, packed_x}
func.func @narrow_dot(%x: memref<2x8xi8>, %w: memref<32x8xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, unsigned, bits = 2 : i64, unsigned_weights, packed_x}
    : memref<2x8xi8>, memref<32x8xi8>, memref<2x4xi32>
  func.return
}

// CHECK: cluster.im2col {{.*}} bits = 4 : i64}
func.func @packed_window(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 36 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 12, 4>, bits = 4 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// CHECK: cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i {size = 27 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 9, 3>} : memref<1x8x8x3xi8>, memref<2x28xi8>
func.func @im2col(%x: memref<1x8x8x3xi8>, %windows: memref<2x28xi8>, %i: index) {
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 27 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 9, 3>}
    : memref<1x8x8x3xi8>, memref<2x28xi8>
  func.return
}

// CHECK: cluster.unpack %packed[%i, %i], %w[%i, %i] count %i {bits = 4 : i64, unsigned} : memref<32x8xi8>, memref<32x13xi8>
func.func @unpack(%packed: memref<32x8xi8>, %w: memref<32x13xi8>, %i: index) {
  cluster.unpack %packed[%i, %i], %w[%i, %i] count %i {bits = 4 : i64, unsigned} : memref<32x8xi8>, memref<32x13xi8>
  func.return
}

// CHECK: cluster.mac %a, %b, %sum : i32
func.func @mac(%a: i32, %b: i32, %sum: i32) -> i32 {
  %y = cluster.mac %a, %b, %sum : i32
  func.return %y : i32
}

// CHECK: cluster.window %x[%i, %i, %i, %i], %w[%i, %i, %i, %i] rows %i of %i into %sums
func.func @window(%x: memref<1x8x8x16xi8>, %w: memref<16x3x3x1xi8>, %sums: memref<8xi32>, %i: index) {
  cluster.window %x[%i, %i, %i, %i], %w[%i, %i, %i, %i] rows %i of %i into %sums
      {x_axes = array<i64: 2, 1, 2>, w_axes = array<i64: 1, 2>, steps = array<i64: 1, 1, 1>, unsigned}
      : memref<1x8x8x16xi8>, memref<16x3x3x1xi8>, memref<8xi32>
  func.return
}
