// RUN: opt-tool %s -p center-weights | filecheck %s

// Weights from -131 to 100 become bytes that are 3 more, and 3 times the sums of x are subtracted again.

// CHECK-LABEL: func.func @offset
// CHECK:       arith.constant dense<[[-128], [103]]> : tensor<2x1xi8>
// CHECK:       arith.constant dense<1> : tensor<1x1xi8>
// CHECK:       %[[S:.*]] = nn.matmul
// CHECK:       nn.matmul {{.*}} epilogue(%[[S]]
// CHECK:       arith.constant -3 : i32
func.func @offset(%x: tensor<3x1xi8>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[-131], [100]]> : tensor<2x1xi16>
  %e = tensor.empty() : tensor<3x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<3x1xi8>, tensor<2x1xi16>) outs(%e : tensor<3x2xi32>) {accumulator = i32, transpose_b}
  func.return %y : tensor<3x2xi32>
}

// Weights from 0 to 255 are unsigned bytes.

// CHECK-LABEL: func.func @unsigned
// CHECK:       arith.constant dense<[[0], [-1]]> : tensor<2x1xi8>
// CHECK:       nn.matmul {{.*}}unsigned = array<i64: 1>
func.func @unsigned(%x: tensor<3x1xi8>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[0], [255]]> : tensor<2x1xi16>
  %e = tensor.empty() : tensor<3x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<3x1xi8>, tensor<2x1xi16>) outs(%e : tensor<3x2xi32>) {accumulator = i32, transpose_b}
  func.return %y : tensor<3x2xi32>
}
