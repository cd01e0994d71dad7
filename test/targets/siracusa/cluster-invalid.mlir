// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @kernel(%x: memref<4x8xi8>) {
  // expected-error @+1 {{there is no function @share}}
  hier.fork @share(%x) {cores = 8 : i64} : memref<4x8xi8>
  func.return
}

// -----

func.func @kernel(%x: memref<4x8xi8>) {
  // expected-error @+1 {{must take memref<4x8xi8>, index; it takes memref<4x8xi8>}}
  hier.fork @share(%x) {cores = 8 : i64} : memref<4x8xi8>
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

func.func @sums_without_features(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<8xi32>, %i: index) {
  // expected-error @+1 {{'sums' has no axis 1}}
  cluster.dot %x[%i, %i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>}
    : memref<8x16xi8>, memref<32x16xi8>, memref<8xi32>
  func.return
}

// -----

func.func @too_many_pixels(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<3x4xi32>, %i: index) {
  // expected-error @+1 {{'pixels' must not be 3; expected 1 to 2}}
  cluster.dot %x[%i, %i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>}
    : memref<8x16xi8>, memref<32x16xi8>, memref<3x4xi32>
  func.return
}

// -----

func.func @elements(%x: memref<8x16xi16>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{'x' must hold i8, not i16}}
  cluster.dot %x[%i, %i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>}
    : memref<8x16xi16>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @indices(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{expected an index for each axis of 'x', 2, got 1}}
  cluster.dot %x[%i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @axes(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{'x_step' must be an axis and a factor, with one of the 2 axes of 'x', got [2, 1]}}
  cluster.dot %x[%i, %i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 2, 1>}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @packed_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{'bits' must not be 8; expected 2 or 4}}
  cluster.dot_packed %x[%i, %i], %w[%i, %i], %sums, %i, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>, bits = 8 : i64}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @narrow_dot(%x: memref<8x16xi8>, %w: memref<32x16xi8>, %sums: memref<2x4xi32>, %i: index) {
  // expected-error @+1 {{packed numbers with signed x and unsigned w are not supported}}
  cluster.dot_narrow %x[%i, %i], %w[%i, %i], %sums, %i, %i {x_step = array<i64: 0, 1>, w_step = array<i64: 0, 1>, bits = 4 : i64, is_signed}
    : memref<8x16xi8>, memref<32x16xi8>, memref<2x4xi32>
  func.return
}

// -----

func.func @packed_window(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  // expected-error @+1 {{'bits' must not be 3; expected 2 or 4}}
  cluster.pack_window %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i
    {size = 36 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 12 : i64, tap = 4 : i64, bits = 3 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// -----

func.func @packed_words(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  // expected-error @+1 {{packed numbers fill words of 4 bytes, got a size and steps of [35, 12, 4]}}
  cluster.pack_window %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i
    {size = 35 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 12 : i64, tap = 4 : i64, bits = 4 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// -----

func.func @im2col(%x: memref<1x8x8x8xi8>, %windows: memref<2x36xi8>, %i: index) {
  // expected-error @+1 {{37 bytes do not fit a row of 36}}
  cluster.im2col %x[%i, %i, %i, %i], %windows[%i, %i], %i, %i, %i, %i
    {size = 37 : i64, x_row = array<i64: 1, 1>, x_tap = array<i64: 2, 1>, row = 12 : i64, tap = 4 : i64}
    : memref<1x8x8x8xi8>, memref<2x36xi8>
  func.return
}

// -----

func.func @unpack(%packed: memref<32x8xi8>, %w: memref<32x13xi8>, %i: index) {
  // expected-error @+1 {{'bits' must not be 8; expected 2 or 4}}
  cluster.unpack %packed[%i, %i], %w[%i, %i], %i {bits = 8 : i64} : memref<32x8xi8>, memref<32x13xi8>
  func.return
}

// -----

func.func @mac(%a: i16, %b: i32, %sum: i32) -> i32 {
  // expected-error @+1 {{i16}}
  %y = "cluster.mac"(%a, %b, %sum) : (i16, i32, i32) -> i32
  func.return %y : i32
}
