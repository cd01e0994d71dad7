// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @kernel(%x: memref<4x8xi8>) {
  // expected-error @+1 {{there is no function @share}}
  cluster.fork @share(%x) {cores = 8 : i64} : memref<4x8xi8>
  func.return
}

// -----

func.func @kernel(%x: memref<4x8xi8>) {
  // expected-error @+1 {{must take memref<4x8xi8>, index; it takes memref<4x8xi8>}}
  cluster.fork @share(%x) {cores = 8 : i64} : memref<4x8xi8>
  func.return
}

func.func private @share(%x: memref<4x8xi8>) {
  func.return
}

// -----

func.func @transfer(%far: memref<16x64xi8>, %near: memref<8x64xi16>, %i: index) {
  // expected-error @+1 {{both sides must hold elements of one type}}
  cluster.dma_in %far[%i, %i], %near[%i, %i] rows %i of %i {axis = 0 : i64} : memref<16x64xi8>, memref<8x64xi16>
  func.return
}

// -----

func.func @transfer(%far: memref<16x64xi8>, %near: memref<8x64xi8>, %i: index) {
  // expected-error @+1 {{the far buffer has no axis 2}}
  cluster.dma_in %far[%i, %i], %near[%i, %i] rows %i of %i {axis = 2 : i64} : memref<16x64xi8>, memref<8x64xi8>
  func.return
}

// -----

func.func @dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<8xi32>, %i: index) {
  // expected-error @+1 {{the sums must be [pixels, features]}}
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>}
    : memref<8x16xi8>, memref<32x16xi8>, memref<8xi32>
  func.return
}

// -----

func.func @packed_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{packed numbers have 2 or 4 bits, not 8}}
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, bits = 8 : i64}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @packed_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{only packed numbers may be unsigned}}
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, unsigned_weights}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @narrow_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{numbers of x are packed only where those of w are}}
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, packed_x}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @narrow_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{only those of w are unsigned}}
  cluster.dot %x[%i, %i], %w[%i, %i] rows %i of %i into %sums
    {x_axes = array<i64: 0, -1>, w_axes = array<i64: 0, -1>, steps = array<i64: 1, 0>, bits = 4 : i64, packed_x, unsigned_weights}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @packed_window(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  // expected-error @+1 {{packed numbers have 2 or 4 bits, not 3}}
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 36 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 12, 4>, bits = 3 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// -----

func.func @packed_window(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  // expected-error @+1 {{packed numbers fill words of 4 bytes, got a size and steps of [35, 12, 4]}}
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 35 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 12, 4>, bits = 4 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// -----

func.func @mac(%a: i16, %b: i32, %sum: i32) -> i32 {
  // expected-error @+1 {{i16}}
  %y = "cluster.mac"(%a, %b, %sum) : (i16, i32, i32) -> i32
  func.return %y : i32
}

// -----

func.func @unpack(%packed: memref<32x8xi8>, %w: memref<32x13xi8>, %i: index) {
  // expected-error @+1 {{packed numbers have 2 or 4 bits, not 8}}
  cluster.unpack %packed[%i, %i], %w[%i, %i] count %i {bits = 8 : i64} : memref<32x8xi8>, memref<32x13xi8>
  func.return
}

// -----

func.func @unpack(%packed: memref<32x8xi8>, %w: memref<32x13xi8>, %i: index) {
  // expected-error @+1 {{expected an index for each axis of both sides}}
  cluster.unpack %packed[%i], %w[%i, %i] count %i {bits = 4 : i64} : memref<32x8xi8>, memref<32x13xi8>
  func.return
}

// -----

func.func @im2col(%x: memref<1x8x8x3xi8>, %windows: memref<2x24xi8>, %i: index) {
  // expected-error @+1 {{27 bytes do not fit a row of 24}}
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 27 : i64, x_axes = array<i64: 1, 2>, x_steps = array<i64: 1, 1>, steps = array<i64: 9, 3>}
    : memref<1x8x8x3xi8>, memref<2x24xi8>
  func.return
}

// -----

func.func @im2col(%x: memref<1x8x8x3xi8>, %windows: memref<2x28xi8>, %i: index) {
  // expected-error @+1 {{axes [1, 4] do not fit 4 axes}}
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i] from %i rows %i taps %i of %i
    {size = 27 : i64, x_axes = array<i64: 1, 4>, x_steps = array<i64: 1, 1>, steps = array<i64: 9, 3>}
    : memref<1x8x8x3xi8>, memref<2x28xi8>
  func.return
}
