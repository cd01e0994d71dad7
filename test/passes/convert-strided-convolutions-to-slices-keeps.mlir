// RUN: opt-tool %s -p convert-strided-convolutions-to-slices | filecheck %s

// Windows of several points, padding, and strides of 1.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.extract_slice
func.func @others(%x: tensor<1x7x6x16xi8>, %w: tensor<8x1x2x16xi8>, %u: tensor<8x1x1x16xi8>, %o: tensor<1x4x3x8xi32>, %p: tensor<1x5x4x8xi32>,
                  %q: tensor<1x7x6x8xi32>) -> (tensor<1x4x3x8xi32>, tensor<1x5x4x8xi32>, tensor<1x7x6x8xi32>) {
  %a = nn.conv ins(%x, %w : tensor<1x7x6x16xi8>, tensor<8x1x2x16xi8>) outs(%o : tensor<1x4x3x8xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %b = nn.conv ins(%x, %u : tensor<1x7x6x16xi8>, tensor<8x1x1x16xi8>) outs(%p : tensor<1x5x4x8xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  %c = nn.conv ins(%x, %u : tensor<1x7x6x16xi8>, tensor<8x1x1x16xi8>) outs(%q : tensor<1x7x6x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %a, %b, %c : tensor<1x4x3x8xi32>, tensor<1x5x4x8xi32>, tensor<1x7x6x8xi32>
}
