// RUN: opt-tool %s -p materialize-padding | filecheck %s

// A sum, and windows without padding.
// CHECK-LABEL: func.func @pools
// CHECK-NOT: tensor.pad
func.func @pools(%x: tensor<1x16x8x8xi8>, %o: tensor<1x16x8x8xi32>, %p: tensor<1x16x4x4xi8>) -> (tensor<1x16x8x8xi32>, tensor<1x16x4x4xi8>) {
  %y = nn.pool ins(%x : tensor<1x16x8x8xi8>) outs(%o : tensor<1x16x8x8xi32>)
    {kind = "sum", window = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, accumulator = i32}
  %z = nn.pool ins(%x : tensor<1x16x8x8xi8>) outs(%p : tensor<1x16x4x4xi8>)
    {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return %y, %z : tensor<1x16x8x8xi32>, tensor<1x16x4x4xi8>
}
