// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},space-to-depth | filecheck %s

// Channels that fill blocks already, two strides, pixels apart, and channels first.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.expand_shape
func.func @others(%x: tensor<1x65x65x16xi8>, %u: tensor<1x70x70x3xi8>, %v: tensor<1x3x70x70xi8>, %o: tensor<1x32x32x64xi32>, %p: tensor<1x32x64x64xi32>,
                  %q: tensor<1x29x29x64xi32>, %r: tensor<1x64x32x32xi32>)
    -> (tensor<1x32x32x64xi32>, tensor<1x32x64x64xi32>, tensor<1x29x29x64xi32>, tensor<1x64x32x32xi32>) {
  %w = arith.constant dense<1> : tensor<64x3x3x16xi8>
  %a = nn.conv ins(%x, %w : tensor<1x65x65x16xi8>, tensor<64x3x3x16xi8>) outs(%o : tensor<1x32x32x64xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %n = arith.constant dense<1> : tensor<64x7x7x3xi8>
  %b = nn.conv ins(%u, %n : tensor<1x70x70x3xi8>, tensor<64x7x7x3xi8>) outs(%p : tensor<1x32x64x64xi32>)
    {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %c = nn.conv ins(%u, %n : tensor<1x70x70x3xi8>, tensor<64x7x7x3xi8>) outs(%q : tensor<1x29x29x64xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %m = arith.constant dense<1> : tensor<64x3x7x7xi8>
  %d = nn.conv ins(%v, %m : tensor<1x3x70x70xi8>, tensor<64x3x7x7xi8>) outs(%r : tensor<1x64x32x32xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %a, %b, %c, %d : tensor<1x32x32x64xi32>, tensor<1x32x64x64xi32>, tensor<1x29x29x64xi32>, tensor<1x64x32x32xi32>
}
