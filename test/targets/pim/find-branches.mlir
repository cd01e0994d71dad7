// RUN: opt-tool %s --target pim -p find-branches | filecheck %s

// Two windows of four rows, two heads of four channels: components that read the same rows are heads of one branch.

// CHECK:      pim.stages = [{name = "1", channels = 8 : i64, heads = 2 : i64, blocks = 1 : i64, branches = 2 : i64, queries = 4 : i64, keys = 4 : i64,
// CHECK-SAME: own_keys = 4 : i64, expansion = 2 : i64, merges = false, parts = 1 : i64}]
// CHECK-SAME: pim.blocks = [{stage = 0 : i64, windows = [array<i64: 1, 4>], shifts = [array<i64: 0, 0>]}]
// CHECK-LABEL: func.func @windows
// CHECK:      nn.matmul ins(%x, %{{.*}} pim.block = 0 : i64, pim.phase = "QKV"
// CHECK:      transpose_b, pim.block = 0 : i64, pim.phase = "scores", pim.branch_dims = array<i64: 0>, pim.head_dims = array<i64: 1>, pim.query_dims = array<i64: 2>}
// CHECK:      nn.softmax {{.*}}pim.phase = "softmax"
// CHECK:      pim.phase = "context"
// CHECK:      pim.phase = "projection"
// CHECK:      pim.phase = "expand"
// CHECK:      pim.phase = "reduce"
func.func @windows(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = arith.constant dense<0.5> : tensor<8x24xf32>
  %o = arith.constant dense<0.25> : tensor<8x8xf32>
  %e = arith.constant dense<0.125> : tensor<8x16xf32>
  %r = arith.constant dense<0.5> : tensor<16x8xf32>
  %0 = tensor.empty() : tensor<2x4x24xf32>
  %qkv = nn.matmul ins(%x, %w : tensor<2x4x8xf32>, tensor<8x24xf32>) outs(%0 : tensor<2x4x24xf32>) {accumulator = f32}
  %split = tensor.expand_shape %qkv [[0 : i64], [1 : i64], [2 : i64, 3 : i64, 4 : i64]] output_shape [2, 4, 3, 2, 4] : tensor<2x4x24xf32> into tensor<2x4x3x2x4xf32>
  %1 = tensor.empty() : tensor<3x2x2x4x4xf32>
  %heads = linalg.transpose ins(%split : tensor<2x4x3x2x4xf32>) outs(%1 : tensor<3x2x2x4x4xf32>) permutation = [2, 0, 3, 1, 4]
  %2 = tensor.extract_slice %heads[0, 0, 0, 0, 0] [1, 2, 2, 4, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x4x4xf32> to tensor<2x2x4x4xf32>
  %3 = tensor.extract_slice %heads[1, 0, 0, 0, 0] [1, 2, 2, 4, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x4x4xf32> to tensor<2x2x4x4xf32>
  %4 = tensor.extract_slice %heads[2, 0, 0, 0, 0] [1, 2, 2, 4, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x4x4xf32> to tensor<2x2x4x4xf32>
  %5 = tensor.empty() : tensor<2x2x4x4xf32>
  %scores = nn.matmul ins(%2, %3 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) outs(%5 : tensor<2x2x4x4xf32>) {accumulator = f32, transpose_b}
  %shares = nn.softmax ins(%scores : tensor<2x2x4x4xf32>) outs(%5 : tensor<2x2x4x4xf32>) {accumulator = f32, element = f32}
  %context = nn.matmul ins(%shares, %4 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) outs(%5 : tensor<2x2x4x4xf32>) {accumulator = f32}
  %6 = tensor.empty() : tensor<2x4x2x4xf32>
  %rows = linalg.transpose ins(%context : tensor<2x2x4x4xf32>) outs(%6 : tensor<2x4x2x4xf32>) permutation = [0, 2, 1, 3]
  %joined = tensor.collapse_shape %rows [[0 : i64], [1 : i64], [2 : i64, 3 : i64]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %7 = tensor.empty() : tensor<2x4x8xf32>
  %projected = nn.matmul ins(%joined, %o : tensor<2x4x8xf32>, tensor<8x8xf32>) outs(%7 : tensor<2x4x8xf32>) {accumulator = f32}
  %8 = tensor.empty() : tensor<2x4x16xf32>
  %hidden = nn.matmul ins(%projected, %e : tensor<2x4x8xf32>, tensor<8x16xf32>) outs(%8 : tensor<2x4x16xf32>) {accumulator = f32}
  %out = nn.matmul ins(%hidden, %r : tensor<2x4x16xf32>, tensor<16x8xf32>) outs(%7 : tensor<2x4x8xf32>) {accumulator = f32}
  func.return %out : tensor<2x4x8xf32>
}

// Without attention, each point of a kernel's spatial dimensions is a branch.

// CHECK-LABEL: func.func @convolution
// CHECK:      nn.conv {{.*}}pim.branch_dims = array<i64: 0, 3, 4>, pim.branches = 16 : i64}
func.func @convolution(%x: tensor<1x3x6x6xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<2x3x3x3xf32>
  %0 = tensor.empty() : tensor<1x2x4x4xf32>
  %y = nn.conv ins(%x, %w : tensor<1x3x6x6xf32>, tensor<2x3x3x3xf32>) outs(%0 : tensor<1x2x4x4xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = f32}
  func.return %y : tensor<1x2x4x4xf32>
}
