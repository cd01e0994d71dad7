// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK-LABEL: func.func @conv2d_on_buffers(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %o: memref<1x4x4x4xi32>) {
func.func @conv2d_on_buffers(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %o: memref<1x4x4x4xi32>) {
  // CHECK-NEXT: nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>}
  nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @conv2d_epilogue_on_buffers(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %e: memref<4xi32>, %o: memref<1x4x4x4xi16>) {
func.func @conv2d_epilogue_on_buffers(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %e: memref<4xi32>, %o: memref<1x4x4x4xi16>) {
  // CHECK-NEXT: nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi16>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>} epilogue(%e : memref<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi16>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>} epilogue(%e : memref<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @conv1d_grouped_float_on_buffers(%x: memref<2x4x9xf32>, %w: memref<6x2x3xf32>, %o: memref<2x6x5xf32>) {
func.func @conv1d_grouped_float_on_buffers(%x: memref<2x4x9xf32>, %w: memref<6x2x3xf32>, %o: memref<2x6x5xf32>) {
  // CHECK-NEXT: nn.conv ins(%x, %w : memref<2x4x9xf32>, memref<6x2x3xf32>) outs(%o : memref<2x6x5xf32>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32}
  nn.conv ins(%x, %w : memref<2x4x9xf32>, memref<6x2x3xf32>) outs(%o : memref<2x6x5xf32>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @conv1d_grouped_float_epilogue_on_buffers(%x: memref<2x4x9xf32>, %w: memref<6x2x3xf32>, %e: memref<5xi32>, %o: memref<2x6x5xi16>) {
func.func @conv1d_grouped_float_epilogue_on_buffers(%x: memref<2x4x9xf32>, %w: memref<6x2x3xf32>, %e: memref<5xi32>, %o: memref<2x6x5xi16>) {
  // CHECK-NEXT: nn.conv ins(%x, %w : memref<2x4x9xf32>, memref<6x2x3xf32>) outs(%o : memref<2x6x5xi16>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32} epilogue(%e : memref<5xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  nn.conv ins(%x, %w : memref<2x4x9xf32>, memref<6x2x3xf32>) outs(%o : memref<2x6x5xi16>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32} epilogue(%e : memref<5xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  // CHECK-NEXT: ^bb0(%s: f32, %t: i32):
  ^bb0(%s: f32, %t: i32):
    // CHECK-NEXT: %c = arith.sitofp %t : i32 to f32
    %c = arith.sitofp %t : i32 to f32
    // CHECK-NEXT: %y = arith.fptosi %c : f32 to i16
    %y = arith.fptosi %c : f32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @matmul_on_buffers(%a: memref<8x64xi8>, %b: memref<32x64xi8>, %o: memref<8x32xi64>) {
func.func @matmul_on_buffers(%a: memref<8x64xi8>, %b: memref<32x64xi8>, %o: memref<8x32xi64>) {
  // CHECK-NEXT: nn.matmul ins(%a, %b : memref<8x64xi8>, memref<32x64xi8>) outs(%o : memref<8x32xi64>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps}
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<32x64xi8>) outs(%o : memref<8x32xi64>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @matmul_epilogue_on_buffers(%a: memref<8x64xi8>, %b: memref<32x64xi8>, %e: memref<32xi32>, %o: memref<8x32xi16>) {
func.func @matmul_epilogue_on_buffers(%a: memref<8x64xi8>, %b: memref<32x64xi8>, %e: memref<32xi32>, %o: memref<8x32xi16>) {
  // CHECK-NEXT: nn.matmul ins(%a, %b : memref<8x64xi8>, memref<32x64xi8>) outs(%o : memref<8x32xi16>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps} epilogue(%e : memref<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<32x64xi8>) outs(%o : memref<8x32xi16>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps} epilogue(%e : memref<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i64, %t: i32):
  ^bb0(%s: i64, %t: i32):
    // CHECK-NEXT: %c = arith.extsi %t : i32 to i64
    %c = arith.extsi %t : i32 to i64
    // CHECK-NEXT: %y = arith.trunci %c : i64 to i16
    %y = arith.trunci %c : i64 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @matmul_batched_on_buffers(%a: memref<2x1x8x3xi8>, %b: memref<5x8x4xi8>, %o: memref<2x5x3x4xi32>) {
func.func @matmul_batched_on_buffers(%a: memref<2x1x8x3xi8>, %b: memref<5x8x4xi8>, %o: memref<2x5x3x4xi32>) {
  // CHECK-NEXT: nn.matmul ins(%a, %b : memref<2x1x8x3xi8>, memref<5x8x4xi8>) outs(%o : memref<2x5x3x4xi32>) {accumulator = i32, transpose_a}
  nn.matmul ins(%a, %b : memref<2x1x8x3xi8>, memref<5x8x4xi8>) outs(%o : memref<2x5x3x4xi32>) {accumulator = i32, transpose_a}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @matmul_batched_epilogue_on_buffers(%a: memref<2x1x8x3xi8>, %b: memref<5x8x4xi8>, %e: memref<4xi32>, %o: memref<2x5x3x4xi16>) {
func.func @matmul_batched_epilogue_on_buffers(%a: memref<2x1x8x3xi8>, %b: memref<5x8x4xi8>, %e: memref<4xi32>, %o: memref<2x5x3x4xi16>) {
  // CHECK-NEXT: nn.matmul ins(%a, %b : memref<2x1x8x3xi8>, memref<5x8x4xi8>) outs(%o : memref<2x5x3x4xi16>) {accumulator = i32, transpose_a} epilogue(%e : memref<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  nn.matmul ins(%a, %b : memref<2x1x8x3xi8>, memref<5x8x4xi8>) outs(%o : memref<2x5x3x4xi16>) {accumulator = i32, transpose_a} epilogue(%e : memref<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @pool_on_buffers(%x: memref<1x2x6x6xi8>, %o: memref<1x2x3x3xi8>) {
func.func @pool_on_buffers(%x: memref<1x2x6x6xi8>, %o: memref<1x2x3x3xi8>) {
  // CHECK-NEXT: nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>}
  nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @pool_epilogue_on_buffers(%x: memref<1x2x6x6xi8>, %e: memref<3xi32>, %o: memref<1x2x3x3xi16>) {
func.func @pool_epilogue_on_buffers(%x: memref<1x2x6x6xi8>, %e: memref<3xi32>, %o: memref<1x2x3x3xi16>) {
  // CHECK-NEXT: nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi16>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>} epilogue(%e : memref<3xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi16>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>} epilogue(%e : memref<3xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%s: i8, %t: i32):
  ^bb0(%s: i8, %t: i32):
    // CHECK-NEXT: %c = arith.trunci %t : i32 to i8
    %c = arith.trunci %t : i32 to i8
    // CHECK-NEXT: %y = arith.extsi %c : i8 to i16
    %y = arith.extsi %c : i8 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @reduce_on_buffers(%x: memref<1x64x128xi8>, %o: memref<1x128xi32>) {
func.func @reduce_on_buffers(%x: memref<1x64x128xi8>, %o: memref<1x128xi32>) {
  // CHECK-NEXT: nn.reduce ins(%x : memref<1x64x128xi8>) outs(%o : memref<1x128xi32>) {kind = "sum", accumulator = i32, axes = array<i64: 1>}
  nn.reduce ins(%x : memref<1x64x128xi8>) outs(%o : memref<1x128xi32>) {kind = "sum", accumulator = i32, axes = array<i64: 1>}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @reduce_epilogue_on_buffers(%x: memref<1x64x128xi8>, %e: memref<128xi32>, %o: memref<1x128xi16>) {
func.func @reduce_epilogue_on_buffers(%x: memref<1x64x128xi8>, %e: memref<128xi32>, %o: memref<1x128xi16>) {
  // CHECK-NEXT: nn.reduce ins(%x : memref<1x64x128xi8>) outs(%o : memref<1x128xi16>) {kind = "sum", accumulator = i32, axes = array<i64: 1>} epilogue(%e : memref<128xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.reduce ins(%x : memref<1x64x128xi8>) outs(%o : memref<1x128xi16>) {kind = "sum", accumulator = i32, axes = array<i64: 1>} epilogue(%e : memref<128xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @reduce_keep_on_buffers(%x: memref<1x64x128xf32>, %o: memref<1x1x128xf32>) {
func.func @reduce_keep_on_buffers(%x: memref<1x64x128xf32>, %o: memref<1x1x128xf32>) {
  // CHECK-NEXT: nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x1x128xf32>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims}
  nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x1x128xf32>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @reduce_keep_epilogue_on_buffers(%x: memref<1x64x128xf32>, %e: memref<128xi32>, %o: memref<1x1x128xi16>) {
func.func @reduce_keep_epilogue_on_buffers(%x: memref<1x64x128xf32>, %e: memref<128xi32>, %o: memref<1x1x128xi16>) {
  // CHECK-NEXT: nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x1x128xi16>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims} epilogue(%e : memref<128xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x1x128xi16>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims} epilogue(%e : memref<128xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  // CHECK-NEXT: ^bb0(%s: f32, %t: i32):
  ^bb0(%s: f32, %t: i32):
    // CHECK-NEXT: %c = arith.sitofp %t : i32 to f32
    %c = arith.sitofp %t : i32 to f32
    // CHECK-NEXT: %y = arith.fptosi %c : f32 to i16
    %y = arith.fptosi %c : f32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_softmax_on_buffers(%x: memref<4x8xi8>, %o: memref<4x8xi8>) {
func.func @int_softmax_on_buffers(%x: memref<4x8xi8>, %o: memref<4x8xi8>) {
  // CHECK-NEXT: nn.int_softmax ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi8>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64}
  nn.int_softmax ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi8>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_softmax_epilogue_on_buffers(%x: memref<4x8xi8>, %e: memref<8xi32>, %o: memref<4x8xi16>) {
func.func @int_softmax_epilogue_on_buffers(%x: memref<4x8xi8>, %e: memref<8xi32>, %o: memref<4x8xi16>) {
  // CHECK-NEXT: nn.int_softmax ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi16>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.int_softmax ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi16>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i8, %t: i32):
  ^bb0(%s: i8, %t: i32):
    // CHECK-NEXT: %c = arith.trunci %t : i32 to i8
    %c = arith.trunci %t : i32 to i8
    // CHECK-NEXT: %y = arith.extsi %c : i8 to i16
    %y = arith.extsi %c : i8 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @ita_max_on_buffers(%x: memref<4x8xi8>, %o: memref<4x8xi8>) {
func.func @ita_max_on_buffers(%x: memref<4x8xi8>, %o: memref<4x8xi8>) {
  // CHECK-NEXT: nn.ita_max ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi8>) {accumulator = i32, element = i8, levels = 256 : i64}
  nn.ita_max ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi8>) {accumulator = i32, element = i8, levels = 256 : i64}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @ita_max_epilogue_on_buffers(%x: memref<4x8xi8>, %e: memref<8xi32>, %o: memref<4x8xi16>) {
func.func @ita_max_epilogue_on_buffers(%x: memref<4x8xi8>, %e: memref<8xi32>, %o: memref<4x8xi16>) {
  // CHECK-NEXT: nn.ita_max ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi16>) {accumulator = i32, element = i8, levels = 256 : i64} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.ita_max ins(%x : memref<4x8xi8>) outs(%o : memref<4x8xi16>) {accumulator = i32, element = i8, levels = 256 : i64} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i8, %t: i32):
  ^bb0(%s: i8, %t: i32):
    // CHECK-NEXT: %c = arith.trunci %t : i32 to i8
    %c = arith.trunci %t : i32 to i8
    // CHECK-NEXT: %y = arith.extsi %c : i8 to i16
    %y = arith.extsi %c : i8 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_rms_norm_on_buffers(%x: memref<1x64xi8>, %w: memref<64xi32>, %o: memref<1x64xi8>) {
func.func @int_rms_norm_on_buffers(%x: memref<1x64xi8>, %w: memref<64xi32>, %o: memref<1x64xi8>) {
  // CHECK-NEXT: nn.int_rms_norm ins(%x, %w : memref<1x64xi8>, memref<64xi32>) outs(%o : memref<1x64xi8>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64}
  nn.int_rms_norm ins(%x, %w : memref<1x64xi8>, memref<64xi32>) outs(%o : memref<1x64xi8>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_rms_norm_epilogue_on_buffers(%x: memref<1x64xi8>, %w: memref<64xi32>, %e: memref<64xi32>, %o: memref<1x64xi16>) {
func.func @int_rms_norm_epilogue_on_buffers(%x: memref<1x64xi8>, %w: memref<64xi32>, %e: memref<64xi32>, %o: memref<1x64xi16>) {
  // CHECK-NEXT: nn.int_rms_norm ins(%x, %w : memref<1x64xi8>, memref<64xi32>) outs(%o : memref<1x64xi16>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64} epilogue(%e : memref<64xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.int_rms_norm ins(%x, %w : memref<1x64xi8>, memref<64xi32>) outs(%o : memref<1x64xi16>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64} epilogue(%e : memref<64xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i8, %t: i32):
  ^bb0(%s: i8, %t: i32):
    // CHECK-NEXT: %c = arith.trunci %t : i32 to i8
    %c = arith.trunci %t : i32 to i8
    // CHECK-NEXT: %y = arith.extsi %c : i8 to i16
    %y = arith.extsi %c : i8 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_layer_norm_on_buffers(%x: memref<2x8xi8>, %w: memref<8xi32>, %b: memref<8xi32>, %o: memref<2x8xi8>) {
func.func @int_layer_norm_on_buffers(%x: memref<2x8xi8>, %w: memref<8xi32>, %b: memref<8xi32>, %o: memref<2x8xi8>) {
  // CHECK-NEXT: nn.int_layer_norm ins(%x, %w, %b : memref<2x8xi8>, memref<8xi32>, memref<8xi32>) outs(%o : memref<2x8xi8>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>}
  nn.int_layer_norm ins(%x, %w, %b : memref<2x8xi8>, memref<8xi32>, memref<8xi32>) outs(%o : memref<2x8xi8>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @int_layer_norm_epilogue_on_buffers(%x: memref<2x8xi8>, %w: memref<8xi32>, %b: memref<8xi32>, %e: memref<8xi32>, %o: memref<2x8xi16>) {
func.func @int_layer_norm_epilogue_on_buffers(%x: memref<2x8xi8>, %w: memref<8xi32>, %b: memref<8xi32>, %e: memref<8xi32>, %o: memref<2x8xi16>) {
  // CHECK-NEXT: nn.int_layer_norm ins(%x, %w, %b : memref<2x8xi8>, memref<8xi32>, memref<8xi32>) outs(%o : memref<2x8xi16>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  nn.int_layer_norm ins(%x, %w, %b : memref<2x8xi8>, memref<8xi32>, memref<8xi32>) outs(%o : memref<2x8xi16>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>} epilogue(%e : memref<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i8, %t: i32):
  ^bb0(%s: i8, %t: i32):
    // CHECK-NEXT: %c = arith.trunci %t : i32 to i8
    %c = arith.trunci %t : i32 to i8
    // CHECK-NEXT: %y = arith.extsi %c : i8 to i16
    %y = arith.extsi %c : i8 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @conv_accumulates(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %o: memref<1x4x4x4xi32>) {
func.func @conv_accumulates(%x: memref<1x3x8x8xi8>, %w: memref<4x3x3x3xi8>, %o: memref<1x4x4x4xi32>) {
  // CHECK-NEXT: nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, accumulate}
  nn.conv ins(%x, %w : memref<1x3x8x8xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, accumulate}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @matmul_accumulates_in_a_view(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %o: memref<8x32xi32, strided<[64, 1], offset: ?>>) {
func.func @matmul_accumulates_in_a_view(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %o: memref<8x32xi32, strided<[64, 1], offset: ?>>) {
  // CHECK-NEXT: nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%o : memref<8x32xi32, strided<[64, 1], offset: ?>>) {accumulator = i32, accumulate}
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%o : memref<8x32xi32, strided<[64, 1], offset: ?>>) {accumulator = i32, accumulate}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @pool_accumulates(%x: memref<1x2x6x6xi8>, %o: memref<1x2x3x3xi8>) {
func.func @pool_accumulates(%x: memref<1x2x6x6xi8>, %o: memref<1x2x3x3xi8>) {
  // CHECK-NEXT: nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulate}
  nn.pool ins(%x : memref<1x2x6x6xi8>) outs(%o : memref<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulate}
  // CHECK-NEXT: func.return
  func.return
}

// CHECK-LABEL: func.func @reduce_accumulates(%x: memref<1x64x128xf32>, %o: memref<1x128xf32>) {
func.func @reduce_accumulates(%x: memref<1x64x128xf32>, %o: memref<1x128xf32>) {
  // CHECK-NEXT: nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x128xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32, accumulate}
  nn.reduce ins(%x : memref<1x64x128xf32>) outs(%o : memref<1x128xf32>) {kind = "sum", axes = array<i64: 1>, accumulator = f32, accumulate}
  // CHECK-NEXT: func.return
  func.return
}
