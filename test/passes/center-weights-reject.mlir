// RUN: opt-tool %s -p center-weights > %t && opt-tool %s | diff - %t

// Weights that span more than 256 numbers, that are computed, and a product of 16 bits.

func.func @kept(%x: tensor<3x1xi8>, %z: tensor<3x1xi16>, %v: tensor<2x1xi16>) -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>) {
  %w = arith.constant dense<[[-156], [100]]> : tensor<2x1xi16>
  %e = tensor.empty() : tensor<3x2xi32>
  %y0 = nn.matmul ins(%x, %w : tensor<3x1xi8>, tensor<2x1xi16>) outs(%e : tensor<3x2xi32>) {accumulator = i32, transpose_b}
  %y1 = nn.matmul ins(%x, %v : tensor<3x1xi8>, tensor<2x1xi16>) outs(%e : tensor<3x2xi32>) {accumulator = i32, transpose_b}
  %u = arith.constant dense<[[-131], [100]]> : tensor<2x1xi16>
  %y2 = nn.matmul ins(%z, %u : tensor<3x1xi16>, tensor<2x1xi16>) outs(%e : tensor<3x2xi32>) {accumulator = i32, transpose_b}
  func.return %y0, %y1, %y2 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xi32>
}
