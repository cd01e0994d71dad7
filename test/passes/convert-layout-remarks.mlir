// RUN: opt-tool %s -p convert-layout --remarks-filter=. --verify-diagnostics -o %t

// A convolution works on channels last: its image comes from an input, its result is one of the function.
func.func @transposed(%x: tensor<1x3x4x4xi8>) -> tensor<1x2x4x4xi32> {
  %w = arith.constant dense<1> : tensor<2x3x1x1xi8>
  %e = tensor.empty() : tensor<1x2x4x4xi32>
  // expected-remark@+2 {{missed layout of 'linalg.transpose': 48 bytes are transposed, between input %x and nn.conv, channels_last}}
  // expected-remark@+1 {{missed layout of 'linalg.transpose': 128 bytes are transposed, between nn.conv, channels_last and the results of the function}}
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<2x3x1x1xi8>) outs(%e : tensor<1x2x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %y : tensor<1x2x4x4xi32>
}

// Nothing is transposed.
func.func @row(%x: tensor<1x8xi8>, %y: tensor<8x9xi8>) -> tensor<1x9xi32> {
  %e = tensor.empty() : tensor<1x9xi32>
  %z = nn.matmul ins(%x, %y : tensor<1x8xi8>, tensor<8x9xi8>) outs(%e : tensor<1x9xi32>) {accumulator = i32}
  func.return %z : tensor<1x9xi32>
}
