// RUN: opt-tool %s -p convert-to-packed | filecheck %s

// Of floats, weights are packed one product at a time; a concatenation of channels and the mean over space follow.

// CHECK-LABEL: func.func @network
// CHECK:      linalg.transpose ins(%x : tensor<1x3x4x4xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK:      arith.constant 0.000000e+00 : f32
// CHECK:      packed.conv ins({{.*}} : tensor<1x6x6x3xf32>, tensor<1x3x9x16x1xf32>) outs({{.*}} : tensor<1x4x4x2xf32>)
// CHECK:      packed.depthwise ins({{.*}} : tensor<1x4x4x2xf32>, tensor<1x1x2xf32>) outs({{.*}} : tensor<1x4x4x2xf32>)
// CHECK:      tensor.concat dim(3) {{.*}} -> tensor<1x4x4x4xf32>
// CHECK:      nn.pool ins({{.*}} : tensor<1x4x4x4xf32>) outs({{.*}} : tensor<1x1x1x4xf32>)
// CHECK-SAME: window = array<i64: 4, 4>
// CHECK-SAME: channels_last
// CHECK-NOT:  linalg.transpose
// CHECK:      func.return
func.func @network(%x: tensor<1x3x4x4xf32>) -> tensor<1x4x1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<2x3x3x3xf32>
  %v = arith.constant dense<1.0> : tensor<2x1x1x1xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) outs(%e : tensor<1x2x4x4xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = f32}
  %z = nn.conv ins(%y, %v : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) outs(%e : tensor<1x2x4x4xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64, accumulator = f32}
  %c = tensor.concat dim(1) %y, %z : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %g = tensor.empty() : tensor<1x4x1x1xf32>
  %p = nn.reduce ins(%c : tensor<1x4x4x4xf32>) outs(%g : tensor<1x4x1x1xf32>) {kind = "sum", axes = array<i64: 2, 3>, keep_dims, accumulator = f32}
  func.return %p : tensor<1x4x1x1xf32>
}

// Products: with constant weights packed, also of rank 3; of two activations, what is transposed is moved.

// CHECK-LABEL: func.func @products
// CHECK:      packed.conv ins(%x, %{{.*}} : tensor<2x9x8xf32>, tensor<1x8x16x1xf32>) outs({{.*}} : tensor<2x9x8xf32>)
// CHECK-SAME: kernel = array<i64: 1>
// CHECK:      %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x9x8xf32>) {{.*}} permutation = [0, 2, 1]
// CHECK:      packed.matmul ins(%{{.*}}, %[[T]] : tensor<2x9x8xf32>, tensor<2x8x9xf32>) outs({{.*}} : tensor<2x9x9xf32>)
func.func @products(%x: tensor<2x9x8xf32>) -> tensor<2x9x9xf32> {
  %w = arith.constant dense<1.0> : tensor<8x8xf32>
  %e = tensor.empty() : tensor<2x9x8xf32>
  %y = nn.matmul ins(%x, %w : tensor<2x9x8xf32>, tensor<8x8xf32>) outs(%e : tensor<2x9x8xf32>) {accumulator = f32}
  %f = tensor.empty() : tensor<2x9x9xf32>
  %z = nn.matmul ins(%y, %y : tensor<2x9x8xf32>, tensor<2x9x8xf32>) outs(%f : tensor<2x9x9xf32>) {accumulator = f32, transpose_b}
  func.return %z : tensor<2x9x9xf32>
}

// Groups of eight features are put together, two of them in a block of 16.

// CHECK-LABEL: func.func @groups
// CHECK:      packed.conv ins({{.*}} : tensor<1x4x4x8xf32>, tensor<2x1x4x16x1xf32>) outs({{.*}} : tensor<1x4x4x32xf32>)
// CHECK-SAME: parts = 2 : i64
func.func @groups(%x: tensor<1x8x4x4xf32>) -> tensor<1x32x4x4xf32> {
  %w = arith.constant dense<1.0> : tensor<32x2x1x1xf32>
  %e = tensor.empty() : tensor<1x32x4x4xf32>
  %y = nn.conv ins(%x, %w : tensor<1x8x4x4xf32>, tensor<32x2x1x1xf32>) outs(%e : tensor<1x32x4x4xf32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 4 : i64, accumulator = f32}
  func.return %y : tensor<1x32x4x4xf32>
}
