// RUN: opt-tool %s -p convert-to-packed | filecheck %s

// Of padding [top, left, bottom, right] each end stays at its end of the axis, wherever the axis moves.

// CHECK-LABEL: func.func @network
// CHECK:         tensor.pad {{.*}} low[0, 1, 2, 0] high[0, 0, 3, 0]
// CHECK:         packed.conv ins({{.*}} : tensor<1x5x9x3xi8>,
func.func @network(%x: tensor<1x3x4x4xi8>) -> tensor<1x2x3x7xi32> {
  %w = arith.constant dense<1> : tensor<2x3x3x3xi8>
  %e = tensor.empty() : tensor<1x2x3x7xi32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<2x3x3x3xi8>) outs(%e : tensor<1x2x3x7xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 2, 0, 3>, groups = 1 : i64, accumulator = i32}
  func.return %y : tensor<1x2x3x7xi32>
}
