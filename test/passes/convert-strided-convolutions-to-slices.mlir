// RUN: opt-tool %s -p convert-strided-convolutions-to-slices --interpret-each | filecheck %s

// CHECK-LABEL: func.func @network
// CHECK:         %[[A:.*]] = tensor.extract_slice %x[0, 0, 0, 0] [1, 4, 2, 16] [1, 2, 3, 1] : tensor<1x7x6x16xi8> to tensor<1x4x2x16xi8>
// CHECK-NEXT:    nn.conv ins(%[[A]], %w : tensor<1x4x2x16xi8>, tensor<8x1x1x16xi8>) {{.*}} {strides = array<i64: 1, 1>
// CHECK:         %[[B:.*]] = tensor.extract_slice %y[0, 0, 0, 0] [1, 16, 4, 3] [1, 1, 2, 2] : tensor<1x16x7x6xi8> to tensor<1x16x4x3xi8>
// CHECK-NEXT:    nn.conv ins(%[[B]], %v : tensor<1x16x4x3xi8>, tensor<8x16x1x1xi8>) {{.*}} {strides = array<i64: 1, 1>
func.func @network(%x: tensor<1x7x6x16xi8>, %w: tensor<8x1x1x16xi8>, %o: tensor<1x4x2x8xi32>,
                   %y: tensor<1x16x7x6xi8>, %v: tensor<8x16x1x1xi8>, %p: tensor<1x8x4x3xi32>) -> (tensor<1x4x2x8xi32>, tensor<1x8x4x3xi32>) {
  %a = nn.conv ins(%x, %w : tensor<1x7x6x16xi8>, tensor<8x1x1x16xi8>) outs(%o : tensor<1x4x2x8xi32>)
    {strides = array<i64: 2, 3>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %b = nn.conv ins(%y, %v : tensor<1x16x7x6xi8>, tensor<8x16x1x1xi8>) outs(%p : tensor<1x8x4x3xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %a, %b : tensor<1x4x2x8xi32>, tensor<1x8x4x3xi32>
}
