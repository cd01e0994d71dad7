// RUN: opt-tool %s -p convert-kernels-to-dots --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4x16xi8>, %w: tensor<8x16xi8>, %s: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error@+1 {{'nn.matmul' works on tensors; it needs buffers}}
  %0 = nn.matmul ins(%x, %w : tensor<4x16xi8>, tensor<8x16xi8>) outs(%s : tensor<4x8xi32>) {accumulator = i32, transpose_b}
  func.return %0 : tensor<4x8xi32>
}
