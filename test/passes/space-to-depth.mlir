// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},space-to-depth | filecheck %s

// The image is the padded transpose of a tensor: one copy makes blocks of 2 x 2 pixels of it.
// CHECK-LABEL: func.func @first_layer
// CHECK:         %[[P:.*]] = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 3, 3]
// CHECK:         : tensor<1x3x64x64xi8> to tensor<1x3x70x70xi8>
// CHECK-NEXT:    %[[S:.*]] = tensor.expand_shape %[[P]] {{.*}} : tensor<1x3x70x70xi8> into tensor<1x3x35x2x35x2xi8>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[S]] : tensor<1x3x35x2x35x2xi8>) outs(%{{.*}} : tensor<1x35x35x2x2x3xi8>) permutation = [0, 2, 4, 3, 5, 1]
// CHECK-NEXT:    %[[B:.*]] = tensor.collapse_shape %[[T]] {{.*}} into tensor<1x35x35x12xi8>
// CHECK:         nn.conv ins(%[[B]], %{{.*}} : tensor<1x35x35x12xi8>, tensor<64x4x4x12xi8>) outs(%o : tensor<1x32x32x64xi32>) {{.*}}strides = array<i64: 1, 1>
func.func @first_layer(%x: tensor<1x3x64x64xi8>, %e: tensor<1x64x64x3xi8>, %o: tensor<1x32x32x64xi32>) -> tensor<1x32x32x64xi32> {
  %t = linalg.transpose ins(%x : tensor<1x3x64x64xi8>) outs(%e : tensor<1x64x64x3xi8>) permutation = [0, 2, 3, 1]
  %z = arith.constant 0 : i8
  %p = tensor.pad %t low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : i8
  } : tensor<1x64x64x3xi8> to tensor<1x70x70x3xi8>
  %w = arith.constant dense<1> : tensor<64x7x7x3xi8>
  %y = nn.conv ins(%p, %w : tensor<1x70x70x3xi8>, tensor<64x7x7x3xi8>) outs(%o : tensor<1x32x32x64xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %y : tensor<1x32x32x64xi32>
}
