// RUN: opt-tool %s -p convert-kernels-to-dots{window-bytes=0} --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4x16xi8>, %w: tensor<8x16xi8>, %s: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error@+1 {{'nn.matmul' works on tensors; it needs buffers}}
  %0 = nn.matmul ins(%x, %w : tensor<4x16xi8>, tensor<8x16xi8>) outs(%s : tensor<4x8xi32>) {accumulator = i32, transpose_b}
  func.return %0 : tensor<4x8xi32>
}

// -----

// Windows of 28 bytes, for which there is no room on the stack.

func.func @windows(%x: memref<1x8x8x3xi8>, %w: memref<4x3x3x3xi8>, %o: memref<1x6x6x4xi32>) {
  // expected-error@+1 {{'im2col' is not possible for this convolution}}
  nn.conv ins(%x, %w : memref<1x8x8x3xi8>, memref<4x3x3x3xi8>) outs(%o : memref<1x6x6x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last, im2col}
  func.return
}
