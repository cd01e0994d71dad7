// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// CHECK:      hier.fork @share(%x, %y) {cores = 8 : i64} : memref<4x8xi8, "L1">, memref<4xi8, "L1">
func.func @kernel(%x: memref<4x8xi8, "L1">, %y: memref<4xi8, "L1">) {
  hier.fork @share(%x, %y) {cores = 8 : i64} : memref<4x8xi8, "L1">, memref<4xi8, "L1">
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

// CHECK:      cluster.dot %x[%i, %i, %i, %i], %w[%i, %i, %i, %i], %sums, %i, %i, %i
// CHECK-SAME: {x_step = array<i64: 2, 1>, x_row = array<i64: 1, 1>, w_step = array<i64: 0, 1>, w_row = array<i64: 1, 1>} : memref<1x8x8x16xi8>
func.func @dot(%x: memref<1x8x8x16xi8>, %w: memref<32x3x3x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot %x[%i, %i, %i, %i], %w[%i, %i, %i, %i], %sums, %i, %i, %i
    {x_step = array<i64: 2, 1>, x_row = array<i64: 1, 1>, w_step = array<i64: 0, 1>, w_row = array<i64: 1, 1>}
    : memref<1x8x8x16xi8>, memref<32x3x3x16xi8>, memref<2x4xi32>
  func.return
}

// CHECK: cluster.dot_packed %x, %w[%i, %i], %sums[%i, %i], %i, %i, %i {{.*}}is_signed, are_signed}
func.func @packed_dot(%x: memref<8x13xi8>, %w: memref<32x8xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot_packed %x, %w[%i, %i], %sums[%i, %i], %i, %i, %i
    {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>, bits = 4 : i64, is_signed, are_signed}
    : memref<8x13xi8>, memref<32x8xi8>, memref<2x4xi32>
  func.return
}

// CHECK: cluster.dot_narrow {{.*}} bits = 2 : i64}
func.func @narrow_dot(%x: memref<2x8xi8>, %w: memref<32x8xi8>, %sums: memref<2x4xi32>, %i: index) {
  cluster.dot_narrow %x[%i, %i], %w[%i, %i], %sums, %i, %i
    {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>, bits = 2 : i64}
    : memref<2x8xi8>, memref<32x8xi8>, memref<2x4xi32>
  func.return
}

// CHECK: cluster.spread_weights %w[%i, %i, %i, %i], %spread[%i] {step = 2 : i64, rows = 3 : i64, taps = 3 : i64
// CHECK: cluster.window_words %lines[%i, %i], %spread[%i], %sums {{.*}}is_signed, are_signed}
func.func @window(
    %w: memref<16x3x3x1xi8>, %spread: memref<36xi8>, %lines: memref<1x360xi8>, %sums: memref<8xi32>, %i: index) {
  cluster.spread_weights %w[%i, %i, %i, %i], %spread[%i]
    {step = 2 : i64, rows = 3 : i64, taps = 3 : i64, w_row = array<i64: 1, 1>, w_tap = array<i64: 2, 1>}
    : memref<16x3x3x1xi8>, memref<36xi8>
  cluster.window_words %lines[%i, %i], %spread[%i], %sums
    {step = 2 : i64, x_row = 20 : i64, rows = 3 : i64, taps = 3 : i64, is_signed, are_signed}
    : memref<1x360xi8>, memref<36xi8>, memref<8xi32>
  func.return
}

// CHECK: cluster.pack_window {{.*}} bits = 4 : i64}
func.func @packed_window(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  cluster.pack_window %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i
    {size = 36 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 12 : i64, tap = 4 : i64, bits = 4 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// CHECK: cluster.im2col %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i {size = 27 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 9 : i64, tap = 3 : i64} : memref<1x8x8x3xi8>, memref<2x28xi8>
func.func @im2col(%x: memref<1x8x8x3xi8>, %windows: memref<2x28xi8>, %i: index) {
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i
    {size = 27 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 9 : i64, tap = 3 : i64}
    : memref<1x8x8x3xi8>, memref<2x28xi8>
  func.return
}

// CHECK: cluster.unpack %packed[%i, %i], %w[%i, %i], %i {bits = 4 : i64, is_signed} : memref<32x8xi8>, memref<32x13xi8>
func.func @unpack(%packed: memref<32x8xi8>, %w: memref<32x13xi8>, %i: index) {
  cluster.unpack %packed[%i, %i], %w[%i, %i], %i {bits = 4 : i64, is_signed} : memref<32x8xi8>, memref<32x13xi8>
  func.return
}

// CHECK: cluster.mac %a, %b, %sum
func.func @mac(%a: i32, %b: i32, %sum: i32) -> i32 {
  %y = cluster.mac %a, %b, %sum
  func.return %y : i32
}
