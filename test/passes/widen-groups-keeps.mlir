// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},widen-groups | filecheck %s

// One group, and weights that are no constant.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor<32x16
// CHECK:     groups = 32 : i64
func.func @others(%x: tensor<1x32x5x5xi8>, %v: tensor<32x1x1x1xi8>, %o: tensor<1x32x5x5xi32>) -> (tensor<1x32x5x5xi32>, tensor<1x32x5x5xi32>) {
  %w = arith.constant dense<1> : tensor<32x32x1x1xi8>
  %a = nn.conv ins(%x, %w : tensor<1x32x5x5xi8>, tensor<32x32x1x1xi8>) outs(%o : tensor<1x32x5x5xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  %c = nn.conv ins(%x, %v : tensor<1x32x5x5xi8>, tensor<32x1x1x1xi8>) outs(%o : tensor<1x32x5x5xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64, accumulator = i32}
  func.return %a, %c : tensor<1x32x5x5xi32>, tensor<1x32x5x5xi32>
}
