// RUN: opt-tool %s -p 'convert-layout,canonicalize,cse' -t transposes | filecheck %s

// Two demands on both sides of each transpose; the elementwise kernel and the pooling between them have none.

// CHECK:      2 transposes of 144 bytes, at least 2 for these demands
// CHECK-NEXT: 1. tensor<1x3x4x4xi8> to [0, 2, 3, 1], 48 bytes 'first'
// CHECK-NEXT:    from input %x
// CHECK-NEXT:    for nn.conv 'first', channels_last
// CHECK-NEXT: 2. tensor<1x2x2x6xi32> to [0, 3, 1, 2], 96 bytes 'pool'
// CHECK-NEXT:    from nn.conv 'first', channels_last
// CHECK-NEXT:    for the results of the function
func.func @network(%x: tensor<1x3x4x4xi8>) -> tensor<1x6x2x2xi32> {
  %w = arith.constant dense<1> : tensor<6x3x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<6x3x1x1xi8>) outs(%e : tensor<1x6x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32} loc("first")
  %g = tensor.empty() : tensor<1x6x2x2xi32>
  %p = nn.pool ins(%y : tensor<1x6x4x4xi32>) outs(%g : tensor<1x6x2x2xi32>) {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i32} loc("pool")
  func.return %p : tensor<1x6x2x2xi32>
}
