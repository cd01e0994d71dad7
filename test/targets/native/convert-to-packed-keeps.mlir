// RUN: opt-tool %s -p convert-to-packed > %t && opt-tool %s | diff - %t

// Not of types that there are tiles for: doubles, and a reduction of one axis stays where it is.

func.func @stays(%x: tensor<1x3x4x4xf64>) -> tensor<1x2x1x4xf64> {
  %w = arith.constant dense<1.0> : tensor<2x3x1x1xf64>
  %e = tensor.empty() : tensor<1x2x4x4xf64>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xf64>, tensor<2x3x1x1xf64>) outs(%e : tensor<1x2x4x4xf64>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = f64}
  %g = tensor.empty() : tensor<1x2x1x4xf64>
  %p = nn.reduce ins(%y : tensor<1x2x4x4xf64>) outs(%g : tensor<1x2x1x4xf64>) {kind = "sum", axes = array<i64: 2>, keep_dims, accumulator = f64}
  func.return %p : tensor<1x2x1x4xf64>
}

// A single row is not worth moving a matrix for.

func.func @row(%x: tensor<1x8xf32>, %y: tensor<9x8xf32>) -> tensor<1x9xf32> {
  %e = tensor.empty() : tensor<1x9xf32>
  %z = nn.matmul ins(%x, %y : tensor<1x8xf32>, tensor<9x8xf32>) outs(%e : tensor<1x9xf32>) {accumulator = f32, transpose_b}
  func.return %z : tensor<1x9xf32>
}

// A convolution whose weights are no constant.
func.func @weights(%x: tensor<1x3x4x4xi8>, %w: tensor<2x3x1x1xi8>) -> tensor<1x2x4x4xi32> {
  %e = tensor.empty() : tensor<1x2x4x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<2x3x1x1xi8>) outs(%e : tensor<1x2x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %y : tensor<1x2x4x4xi32>
}

// Kernels without weights.
func.func @empty(%x: tensor<1x3x4x4xf32>, %a: tensor<2x8xi8>) -> (tensor<1x0x4x4xf32>, tensor<2x0xi32>) {
  %w = arith.constant dense<> : tensor<0x3x1x1xf32>
  %e = tensor.empty() : tensor<1x0x4x4xf32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xf32>, tensor<0x3x1x1xf32>) outs(%e : tensor<1x0x4x4xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = f32}
  %b = arith.constant dense<> : tensor<8x0xi8>
  %f = tensor.empty() : tensor<2x0xi32>
  %z = nn.matmul ins(%a, %b : tensor<2x8xi8>, tensor<8x0xi8>) outs(%f : tensor<2x0xi32>) {accumulator = i32}
  func.return %y, %z : tensor<1x0x4x4xf32>, tensor<2x0xi32>
}
