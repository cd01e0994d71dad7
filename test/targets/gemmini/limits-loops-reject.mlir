// Limits of loops in hardware.
// RUN: opt-tool %s --target gemmini/loops --split-input-file --verify-diagnostics

func.func @scratchpad(%a: memref<64x4096xi8>, %b: memref<4096x64xi8>, %c: memref<64x64xi8>) {
  // expected-error @+1 {{the tile takes 12288 rows of the scratchpad, and a loop owns half of 16384}}
  gemmini.loop_ws %a, %b, %c {rows = 32 : i64, cols = 16 : i64, depth = 4096 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64} : memref<64x4096xi8>, memref<4096x64xi8>, memref<64x64xi8>
  func.return
}

// -----

func.func @accumulators(%a: memref<200x16xi8>, %b: memref<16x64xi8>, %d: memref<64xi32>, %c: memref<200x64xi8>) {
  // expected-error @+1 {{the tile takes 576 rows of the accumulators, and a loop owns half of 1024}}
  gemmini.loop_ws_bias %a, %b, %d, %c {rows = 144 : i64, cols = 64 : i64, depth = 16 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64} : memref<200x16xi8>, memref<16x64xi8>, memref<64xi32>, memref<200x64xi8>
  func.return
}

// -----

func.func @bias(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %d: memref<16xf32>, %c: memref<16x16xi8>) {
  // expected-error @+1 {{a bias of products of i8 is i32, not f32}}
  gemmini.loop_ws_bias %a, %b, %d, %c {rows = 16 : i64, cols = 16 : i64, depth = 16 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64} : memref<16x16xi8>, memref<16x16xi8>, memref<16xf32>, memref<16x16xi8>
  func.return
}

// -----

func.func @scale(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %c: memref<16x16xi8>) {
  %s = arith.constant 0.0 : f32
  // expected-error @+1 {{the scale of a store is positive and finite, not 0.0}}
  gemmini.config_loop %a, %b, %c, %s {a_stride = array<i64: 0, 1>, b_stride = array<i64: 0, 1>, c_stride = array<i64: 0, 1>} : memref<16x16xi8>, memref<16x16xi8>, memref<16x16xi8>
  func.return
}

// -----

func.func @convolution(%x: memref<1x40x40x16xi8>, %w: memref<16x3x3x16xi8>, %y: memref<1x38x38x16xi8>) {
  // expected-error @+1 {{the tile takes 1444 rows of the accumulators, and a loop owns half of 1024}}
  gemmini.loop_conv_ws %x, %w, %y {rows = 38 : i64, cols = 38 : i64, features = 16 : i64, depth = 16 : i64, taps_down = 3 : i64, taps_across = 3 : i64, step = 1 : i64, dilation = 1 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64} : memref<1x40x40x16xi8>, memref<16x3x3x16xi8>, memref<1x38x38x16xi8>
  func.return
}

// -----

func.func @convolution_bias(%x: memref<1x9x9x16xi8>, %w: memref<16x3x3x16xi8>, %d: memref<16xf32>, %y: memref<1x7x7x16xi8>) {
  // expected-error @+1 {{a bias of products of i8 is i32, not f32}}
  gemmini.loop_conv_ws_bias %x, %w, %d, %y {rows = 7 : i64, cols = 7 : i64, features = 16 : i64, depth = 16 : i64, taps_down = 3 : i64, taps_across = 3 : i64, step = 1 : i64, dilation = 1 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64} : memref<1x9x9x16xi8>, memref<16x3x3x16xi8>, memref<16xf32>, memref<1x7x7x16xi8>
  func.return
}

// -----

func.func @pixels(%x: memref<1x9x9x16xi8>, %w: memref<16x3x3x16xi8>, %y: memref<1x7x7x16xi8, strided<[2000, 250, 16, 1]>>) {
  %s = arith.constant 1.0 : f32
  // expected-error @+1 {{a row of the result is 250 elements, no 1 to 65535 times 16}}
  gemmini.config_loop_conv %x, %w, %y, %s {x_row = array<i64: 1, 1>, x_pixel = array<i64: 2, 1>, w_row = array<i64: 1, 1>, w_tap = array<i64: 2, 1>, w_channel = array<i64: 3, 1>, y_row = array<i64: 1, 1>, y_pixel = array<i64: 2, 1>, step = 1 : i64, dilation = 1 : i64} : memref<1x9x9x16xi8>, memref<16x3x3x16xi8>, memref<1x7x7x16xi8, strided<[2000, 250, 16, 1]>>
  func.return
}

// -----

func.func @unknown(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %c: memref<16x16xi8>) {
  // expected-error @+1 {{it has no parameter 'row'; expected one of}}
  gemmini.loop_ws %a, %b, %c {rows = 16 : i64, cols = 16 : i64, depth = 16 : i64, dim = 16 : i64, spad_rows = 16384 : i64, acc_rows = 1024 : i64, row = 16 : i64} : memref<16x16xi8>, memref<16x16xi8>, memref<16x16xi8>
  func.return
}
