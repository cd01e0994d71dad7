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
