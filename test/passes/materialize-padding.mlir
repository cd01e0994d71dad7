// RUN: opt-tool %s -p materialize-padding | filecheck %s

// CHECK-LABEL: func.func @pool
// CHECK-NEXT:    %[[LOW:.*]] = arith.constant -128 : i8
// CHECK-NEXT:    %[[P:.*]] = tensor.pad %x low[0, 1, 2, 0] high[0, 0, 1, 0]
// CHECK:           tensor.yield %[[LOW]] : i8
// CHECK:         : tensor<1x8x8x16xi8> to tensor<1x9x11x16xi8>
// CHECK:         nn.pool ins(%[[P]] : tensor<1x9x11x16xi8>) {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @pool(%x: tensor<1x8x8x16xi8>, %o: tensor<1x4x5x16xi8>) -> tensor<1x4x5x16xi8> {
  %y = nn.pool ins(%x : tensor<1x8x8x16xi8>) outs(%o : tensor<1x4x5x16xi8>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 2, 0, 1>, accumulator = i8, channels_last}
  func.return %y : tensor<1x4x5x16xi8>
}

// CHECK-LABEL: func.func @conv
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[P:.*]] = tensor.pad %x low[0, 0, 1, 2] high[0, 0, 0, 1]
// CHECK:         nn.conv ins(%[[P]], %w : tensor<1x4x9x11xf32>, tensor<8x4x3x3xf32>) {{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>, %o: tensor<1x8x7x9xf32>) -> tensor<1x8x7x9xf32> {
  %y = nn.conv ins(%x, %w : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%o : tensor<1x8x7x9xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 2, 0, 1>, groups = 1 : i64, accumulator = f32}
  func.return %y : tensor<1x8x7x9xf32>
}
