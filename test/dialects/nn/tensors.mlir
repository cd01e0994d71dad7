// RUN: opt-tool %s --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @conv2d(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32> {
func.func @conv2d(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32> {
  // CHECK-NEXT: %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x4x4xi32>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return %r : tensor<1x4x4x4xi32>
  func.return %r : tensor<1x4x4x4xi32>
}

// CHECK-LABEL: func.func @conv2d_epilogue(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %e: tensor<4xi32>, %o: tensor<1x4x4x4xi16>) -> tensor<1x4x4x4xi16> {
func.func @conv2d_epilogue(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %e: tensor<4xi32>, %o: tensor<1x4x4x4xi16>) -> tensor<1x4x4x4xi16> {
  // CHECK-NEXT: %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x4x4xi16>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>} epilogue(%e : tensor<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x4x4xi16>) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>} epilogue(%e : tensor<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return %r : tensor<1x4x4x4xi16>
  func.return %r : tensor<1x4x4x4xi16>
}

// CHECK-LABEL: func.func @conv1d_grouped_float(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>, %o: tensor<2x6x5xf32>) -> tensor<2x6x5xf32> {
func.func @conv1d_grouped_float(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>, %o: tensor<2x6x5xf32>) -> tensor<2x6x5xf32> {
  // CHECK-NEXT: %r = nn.conv ins(%x, %w : tensor<2x4x9xf32>, tensor<6x2x3xf32>) outs(%o : tensor<2x6x5xf32>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32}
  %r = nn.conv ins(%x, %w : tensor<2x4x9xf32>, tensor<6x2x3xf32>) outs(%o : tensor<2x6x5xf32>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32}
  // CHECK-NEXT: func.return %r : tensor<2x6x5xf32>
  func.return %r : tensor<2x6x5xf32>
}

// CHECK-LABEL: func.func @conv1d_grouped_float_epilogue(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>, %e: tensor<5xi32>, %o: tensor<2x6x5xi16>) -> tensor<2x6x5xi16> {
func.func @conv1d_grouped_float_epilogue(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>, %e: tensor<5xi32>, %o: tensor<2x6x5xi16>) -> tensor<2x6x5xi16> {
  // CHECK-NEXT: %r = nn.conv ins(%x, %w : tensor<2x4x9xf32>, tensor<6x2x3xf32>) outs(%o : tensor<2x6x5xi16>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32} epilogue(%e : tensor<5xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  %r = nn.conv ins(%x, %w : tensor<2x4x9xf32>, tensor<6x2x3xf32>) outs(%o : tensor<2x6x5xi16>) {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = f32} epilogue(%e : tensor<5xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
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
  // CHECK-NEXT: func.return %r : tensor<2x6x5xi16>
  func.return %r : tensor<2x6x5xi16>
}

// CHECK-LABEL: func.func @matmul(%a: tensor<8x64xi8>, %b: tensor<32x64xi8>, %o: tensor<8x32xi64>) -> tensor<8x32xi64> {
func.func @matmul(%a: tensor<8x64xi8>, %b: tensor<32x64xi8>, %o: tensor<8x32xi64>) -> tensor<8x32xi64> {
  // CHECK-NEXT: %r = nn.matmul ins(%a, %b : tensor<8x64xi8>, tensor<32x64xi8>) outs(%o : tensor<8x32xi64>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps}
  %r = nn.matmul ins(%a, %b : tensor<8x64xi8>, tensor<32x64xi8>) outs(%o : tensor<8x32xi64>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps}
  // CHECK-NEXT: func.return %r : tensor<8x32xi64>
  func.return %r : tensor<8x32xi64>
}

// CHECK-LABEL: func.func @matmul_epilogue(%a: tensor<8x64xi8>, %b: tensor<32x64xi8>, %e: tensor<32xi32>, %o: tensor<8x32xi16>) -> tensor<8x32xi16> {
func.func @matmul_epilogue(%a: tensor<8x64xi8>, %b: tensor<32x64xi8>, %e: tensor<32xi32>, %o: tensor<8x32xi16>) -> tensor<8x32xi16> {
  // CHECK-NEXT: %r = nn.matmul ins(%a, %b : tensor<8x64xi8>, tensor<32x64xi8>) outs(%o : tensor<8x32xi16>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps} epilogue(%e : tensor<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.matmul ins(%a, %b : tensor<8x64xi8>, tensor<32x64xi8>) outs(%o : tensor<8x32xi16>) {accumulator = i64, transpose_b, unsigned = array<i64: 0, 1>, wraps} epilogue(%e : tensor<32xi32>) at [affine_map<(d0, d1) -> (d1)>] {
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
  // CHECK-NEXT: func.return %r : tensor<8x32xi16>
  func.return %r : tensor<8x32xi16>
}

// CHECK-LABEL: func.func @matmul_batched(%a: tensor<2x1x8x3xi8>, %b: tensor<5x8x4xi8>, %o: tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32> {
func.func @matmul_batched(%a: tensor<2x1x8x3xi8>, %b: tensor<5x8x4xi8>, %o: tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32> {
  // CHECK-NEXT: %r = nn.matmul ins(%a, %b : tensor<2x1x8x3xi8>, tensor<5x8x4xi8>) outs(%o : tensor<2x5x3x4xi32>) {accumulator = i32, transpose_a}
  %r = nn.matmul ins(%a, %b : tensor<2x1x8x3xi8>, tensor<5x8x4xi8>) outs(%o : tensor<2x5x3x4xi32>) {accumulator = i32, transpose_a}
  // CHECK-NEXT: func.return %r : tensor<2x5x3x4xi32>
  func.return %r : tensor<2x5x3x4xi32>
}

// CHECK-LABEL: func.func @matmul_batched_epilogue(%a: tensor<2x1x8x3xi8>, %b: tensor<5x8x4xi8>, %e: tensor<4xi32>, %o: tensor<2x5x3x4xi16>) -> tensor<2x5x3x4xi16> {
func.func @matmul_batched_epilogue(%a: tensor<2x1x8x3xi8>, %b: tensor<5x8x4xi8>, %e: tensor<4xi32>, %o: tensor<2x5x3x4xi16>) -> tensor<2x5x3x4xi16> {
  // CHECK-NEXT: %r = nn.matmul ins(%a, %b : tensor<2x1x8x3xi8>, tensor<5x8x4xi8>) outs(%o : tensor<2x5x3x4xi16>) {accumulator = i32, transpose_a} epilogue(%e : tensor<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  %r = nn.matmul ins(%a, %b : tensor<2x1x8x3xi8>, tensor<5x8x4xi8>) outs(%o : tensor<2x5x3x4xi16>) {accumulator = i32, transpose_a} epilogue(%e : tensor<4xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return %r : tensor<2x5x3x4xi16>
  func.return %r : tensor<2x5x3x4xi16>
}

// CHECK-LABEL: func.func @pool(%x: tensor<1x2x6x6xi8>, %o: tensor<1x2x3x3xi8>) -> tensor<1x2x3x3xi8> {
func.func @pool(%x: tensor<1x2x6x6xi8>, %o: tensor<1x2x3x3xi8>) -> tensor<1x2x3x3xi8> {
  // CHECK-NEXT: %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>}
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return %r : tensor<1x2x3x3xi8>
  func.return %r : tensor<1x2x3x3xi8>
}

// CHECK-LABEL: func.func @pool_epilogue(%x: tensor<1x2x6x6xi8>, %e: tensor<3xi32>, %o: tensor<1x2x3x3xi16>) -> tensor<1x2x3x3xi16> {
func.func @pool_epilogue(%x: tensor<1x2x6x6xi8>, %e: tensor<3xi32>, %o: tensor<1x2x3x3xi16>) -> tensor<1x2x3x3xi16> {
  // CHECK-NEXT: %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi16>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>} epilogue(%e : tensor<3xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi16>) {kind = "max", accumulator = i8, window = array<i64: 2, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, unsigned = array<i64: 0>} epilogue(%e : tensor<3xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
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
  // CHECK-NEXT: func.return %r : tensor<1x2x3x3xi16>
  func.return %r : tensor<1x2x3x3xi16>
}

// CHECK-LABEL: func.func @add(%x: tensor<8x32xi8>, %y: tensor<8x32xi8>, %o: tensor<8x32xi32>) -> tensor<8x32xi32> {
func.func @add(%x: tensor<8x32xi8>, %y: tensor<8x32xi8>, %o: tensor<8x32xi32>) -> tensor<8x32xi32> {
  // CHECK-NEXT: %r = nn.add ins(%x, %y : tensor<8x32xi8>, tensor<8x32xi8>) outs(%o : tensor<8x32xi32>) {accumulator = i32}
  %r = nn.add ins(%x, %y : tensor<8x32xi8>, tensor<8x32xi8>) outs(%o : tensor<8x32xi32>) {accumulator = i32}
  // CHECK-NEXT: func.return %r : tensor<8x32xi32>
  func.return %r : tensor<8x32xi32>
}

// CHECK-LABEL: func.func @reduce(%x: tensor<1x64x128xi8>, %o: tensor<1x128xi32>) -> tensor<1x128xi32> {
func.func @reduce(%x: tensor<1x64x128xi8>, %o: tensor<1x128xi32>) -> tensor<1x128xi32> {
  // CHECK-NEXT: %r = nn.reduce ins(%x : tensor<1x64x128xi8>) outs(%o : tensor<1x128xi32>) {kind = "sum", accumulator = i32, axes = array<i64: 1>}
  %r = nn.reduce ins(%x : tensor<1x64x128xi8>) outs(%o : tensor<1x128xi32>) {kind = "sum", accumulator = i32, axes = array<i64: 1>}
  // CHECK-NEXT: func.return %r : tensor<1x128xi32>
  func.return %r : tensor<1x128xi32>
}

// CHECK-LABEL: func.func @reduce_epilogue(%x: tensor<1x64x128xi8>, %e: tensor<128xi32>, %o: tensor<1x128xi16>) -> tensor<1x128xi16> {
func.func @reduce_epilogue(%x: tensor<1x64x128xi8>, %e: tensor<128xi32>, %o: tensor<1x128xi16>) -> tensor<1x128xi16> {
  // CHECK-NEXT: %r = nn.reduce ins(%x : tensor<1x64x128xi8>) outs(%o : tensor<1x128xi16>) {kind = "sum", accumulator = i32, axes = array<i64: 1>} epilogue(%e : tensor<128xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.reduce ins(%x : tensor<1x64x128xi8>) outs(%o : tensor<1x128xi16>) {kind = "sum", accumulator = i32, axes = array<i64: 1>} epilogue(%e : tensor<128xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  // CHECK-NEXT: ^bb0(%s: i32, %t: i32):
  ^bb0(%s: i32, %t: i32):
    // CHECK-NEXT: %y = arith.trunci %t : i32 to i16
    %y = arith.trunci %t : i32 to i16
    // CHECK-NEXT: linalg.yield %y : i16
    linalg.yield %y : i16
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: func.return %r : tensor<1x128xi16>
  func.return %r : tensor<1x128xi16>
}

// CHECK-LABEL: func.func @reduce_keep(%x: tensor<1x64x128xf32>, %o: tensor<1x1x128xf32>) -> tensor<1x1x128xf32> {
func.func @reduce_keep(%x: tensor<1x64x128xf32>, %o: tensor<1x1x128xf32>) -> tensor<1x1x128xf32> {
  // CHECK-NEXT: %r = nn.reduce ins(%x : tensor<1x64x128xf32>) outs(%o : tensor<1x1x128xf32>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims}
  %r = nn.reduce ins(%x : tensor<1x64x128xf32>) outs(%o : tensor<1x1x128xf32>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims}
  // CHECK-NEXT: func.return %r : tensor<1x1x128xf32>
  func.return %r : tensor<1x1x128xf32>
}

// CHECK-LABEL: func.func @reduce_keep_epilogue(%x: tensor<1x64x128xf32>, %e: tensor<128xi32>, %o: tensor<1x1x128xi16>) -> tensor<1x1x128xi16> {
func.func @reduce_keep_epilogue(%x: tensor<1x64x128xf32>, %e: tensor<128xi32>, %o: tensor<1x1x128xi16>) -> tensor<1x1x128xi16> {
  // CHECK-NEXT: %r = nn.reduce ins(%x : tensor<1x64x128xf32>) outs(%o : tensor<1x1x128xi16>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims} epilogue(%e : tensor<128xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
  %r = nn.reduce ins(%x : tensor<1x64x128xf32>) outs(%o : tensor<1x1x128xi16>) {kind = "product", accumulator = f32, axes = array<i64: 1>, keep_dims} epilogue(%e : tensor<128xi32>) at [affine_map<(d0, d1, d2) -> (d2)>] {
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
  // CHECK-NEXT: func.return %r : tensor<1x1x128xi16>
  func.return %r : tensor<1x1x128xi16>
}

// CHECK-LABEL: func.func @int_softmax(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
func.func @int_softmax(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
  // CHECK-NEXT: %r = nn.int_softmax ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64}
  %r = nn.int_softmax ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64}
  // CHECK-NEXT: func.return %r : tensor<4x8xi8>
  func.return %r : tensor<4x8xi8>
}

// CHECK-LABEL: func.func @int_softmax_epilogue(%x: tensor<4x8xi8>, %e: tensor<8xi32>, %o: tensor<4x8xi16>) -> tensor<4x8xi16> {
func.func @int_softmax_epilogue(%x: tensor<4x8xi8>, %e: tensor<8xi32>, %o: tensor<4x8xi16>) -> tensor<4x8xi16> {
  // CHECK-NEXT: %r = nn.int_softmax ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi16>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.int_softmax ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi16>) {accumulator = i64, element = i8, a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
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
  // CHECK-NEXT: func.return %r : tensor<4x8xi16>
  func.return %r : tensor<4x8xi16>
}

// CHECK-LABEL: func.func @ita_max(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
func.func @ita_max(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
  // CHECK-NEXT: %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>) {accumulator = i32, element = i8, levels = 256 : i64}
  %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>) {accumulator = i32, element = i8, levels = 256 : i64}
  // CHECK-NEXT: func.return %r : tensor<4x8xi8>
  func.return %r : tensor<4x8xi8>
}

// CHECK-LABEL: func.func @ita_max_epilogue(%x: tensor<4x8xi8>, %e: tensor<8xi32>, %o: tensor<4x8xi16>) -> tensor<4x8xi16> {
func.func @ita_max_epilogue(%x: tensor<4x8xi8>, %e: tensor<8xi32>, %o: tensor<4x8xi16>) -> tensor<4x8xi16> {
  // CHECK-NEXT: %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi16>) {accumulator = i32, element = i8, levels = 256 : i64} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi16>) {accumulator = i32, element = i8, levels = 256 : i64} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
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
  // CHECK-NEXT: func.return %r : tensor<4x8xi16>
  func.return %r : tensor<4x8xi16>
}

// CHECK-LABEL: func.func @int_rms_norm(%x: tensor<1x64xi8>, %w: tensor<64xi32>, %o: tensor<1x64xi8>) -> tensor<1x64xi8> {
func.func @int_rms_norm(%x: tensor<1x64xi8>, %w: tensor<64xi32>, %o: tensor<1x64xi8>) -> tensor<1x64xi8> {
  // CHECK-NEXT: %r = nn.int_rms_norm ins(%x, %w : tensor<1x64xi8>, tensor<64xi32>) outs(%o : tensor<1x64xi8>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64}
  %r = nn.int_rms_norm ins(%x, %w : tensor<1x64xi8>, tensor<64xi32>) outs(%o : tensor<1x64xi8>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64}
  // CHECK-NEXT: func.return %r : tensor<1x64xi8>
  func.return %r : tensor<1x64xi8>
}

// CHECK-LABEL: func.func @int_rms_norm_epilogue(%x: tensor<1x64xi8>, %w: tensor<64xi32>, %e: tensor<64xi32>, %o: tensor<1x64xi16>) -> tensor<1x64xi16> {
func.func @int_rms_norm_epilogue(%x: tensor<1x64xi8>, %w: tensor<64xi32>, %e: tensor<64xi32>, %o: tensor<1x64xi16>) -> tensor<1x64xi16> {
  // CHECK-NEXT: %r = nn.int_rms_norm ins(%x, %w : tensor<1x64xi8>, tensor<64xi32>) outs(%o : tensor<1x64xi16>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64} epilogue(%e : tensor<64xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.int_rms_norm ins(%x, %w : tensor<1x64xi8>, tensor<64xi32>) outs(%o : tensor<1x64xi16>) {accumulator = i64, element = i8, shift = 16 : i64, low = -128 : i64, high = 127 : i64} epilogue(%e : tensor<64xi32>) at [affine_map<(d0, d1) -> (d1)>] {
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
  // CHECK-NEXT: func.return %r : tensor<1x64xi16>
  func.return %r : tensor<1x64xi16>
}

// CHECK-LABEL: func.func @int_layer_norm(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %b: tensor<8xi32>, %o: tensor<2x8xi8>) -> tensor<2x8xi8> {
func.func @int_layer_norm(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %b: tensor<8xi32>, %o: tensor<2x8xi8>) -> tensor<2x8xi8> {
  // CHECK-NEXT: %r = nn.int_layer_norm ins(%x, %w, %b : tensor<2x8xi8>, tensor<8xi32>, tensor<8xi32>) outs(%o : tensor<2x8xi8>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>}
  %r = nn.int_layer_norm ins(%x, %w, %b : tensor<2x8xi8>, tensor<8xi32>, tensor<8xi32>) outs(%o : tensor<2x8xi8>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>}
  // CHECK-NEXT: func.return %r : tensor<2x8xi8>
  func.return %r : tensor<2x8xi8>
}

// CHECK-LABEL: func.func @int_layer_norm_epilogue(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %b: tensor<8xi32>, %e: tensor<8xi32>, %o: tensor<2x8xi16>) -> tensor<2x8xi16> {
func.func @int_layer_norm_epilogue(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %b: tensor<8xi32>, %e: tensor<8xi32>, %o: tensor<2x8xi16>) -> tensor<2x8xi16> {
  // CHECK-NEXT: %r = nn.int_layer_norm ins(%x, %w, %b : tensor<2x8xi8>, tensor<8xi32>, tensor<8xi32>) outs(%o : tensor<2x8xi16>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  %r = nn.int_layer_norm ins(%x, %w, %b : tensor<2x8xi8>, tensor<8xi32>, tensor<8xi32>) outs(%o : tensor<2x8xi16>) {accumulator = i64, element = i8, shift = 14 : i64, unsigned = array<i64: 0>} epilogue(%e : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
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
  // CHECK-NEXT: func.return %r : tensor<2x8xi16>
  func.return %r : tensor<2x8xi16>
}

// CHECK-LABEL: func.func @isqrt(%x: i64) -> i64 {
func.func @isqrt(%x: i64) -> i64 {
  // CHECK-NEXT: %r = nn.isqrt %x : i64
  %r = nn.isqrt %x : i64
  // CHECK-NEXT: func.return %r : i64
  func.return %r : i64
}

// Attributes that a kernel does not know are kept, and inputs that nothing reads but the epilogue.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<4x8xi8>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
  // CHECK-NEXT: nn.ita_max {{.*}} {levels = 16 : i64, element = i8, accumulator = i32, engine = "npu"} loc("node")
  %r = nn.ita_max ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi8>) {engine = "npu", levels = 16 : i64, element = i8, accumulator = i32} loc("node")
  func.return %r : tensor<4x8xi8>
}

// CHECK-LABEL: func.func @masked_softmax
func.func @masked_softmax(%x: tensor<4x8xi8>, %valid: tensor<8xi1>, %o: tensor<4x8xi8>) -> tensor<4x8xi8> {
  // CHECK-NEXT: %r = nn.int_softmax ins(%x, %valid : tensor<4x8xi8>, tensor<8xi1>) outs(%o : tensor<4x8xi8>)
  %r = nn.int_softmax ins(%x, %valid : tensor<4x8xi8>, tensor<8xi1>) outs(%o : tensor<4x8xi8>) {a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64, accumulator = i64, element = i8}
  func.return %r : tensor<4x8xi8>
}
