// RUN: opt-tool %s | filecheck %s

// Six rows in windows of four: four rows, and the two that are left.

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %w = arith.constant dense<0.5> : tensor<8x8xf32>
  %0 = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : tensor<6x8xf32> to tensor<4x8xf32>
  %1 = tensor.extract_slice %x[4, 0] [2, 8] [1, 1] : tensor<6x8xf32> to tensor<2x8xf32>
  %2 = tensor.empty() : tensor<4x4xf32>
  %3 = nn.matmul ins(%0, %0 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%2 : tensor<4x4xf32>) {accumulator = f32, transpose_b}
  %4 = nn.softmax ins(%3 : tensor<4x4xf32>) outs(%2 : tensor<4x4xf32>) {accumulator = f32, element = f32}
  %5 = tensor.empty() : tensor<4x8xf32>
  %6 = nn.matmul ins(%4, %0 : tensor<4x4xf32>, tensor<4x8xf32>) outs(%5 : tensor<4x8xf32>) {accumulator = f32}
  %7 = tensor.empty() : tensor<2x2xf32>
  %8 = nn.matmul ins(%1, %1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%7 : tensor<2x2xf32>) {accumulator = f32, transpose_b}
  %9 = nn.softmax ins(%8 : tensor<2x2xf32>) outs(%7 : tensor<2x2xf32>) {accumulator = f32, element = f32}
  %10 = tensor.empty() : tensor<2x8xf32>
  %11 = nn.matmul ins(%9, %1 : tensor<2x2xf32>, tensor<2x8xf32>) outs(%10 : tensor<2x8xf32>) {accumulator = f32}
  %12 = tensor.concat dim(0) %6, %11 : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
  %13 = tensor.empty() : tensor<6x8xf32>
  %14 = nn.matmul ins(%12, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%13 : tensor<6x8xf32>) {accumulator = f32}
  func.return %14 : tensor<6x8xf32>
}
