// RUN: opt-tool %s -p 'convert-layout,canonicalize' | filecheck %s

// A second matrix whose sums run across memory is transposed: by its transposition, if it has one.

// CHECK-LABEL: func.func @attention
// CHECK-NOT:   linalg.transpose
// CHECK:       nn.matmul ins(%q, %k : tensor<2x8x4xi8>, tensor<2x8x4xi8>)
// CHECK-SAME:  transpose_b
func.func @attention(%q: tensor<2x8x4xi8>, %k: tensor<2x8x4xi8>) -> tensor<2x8x8xi32> {
  %e = tensor.empty() : tensor<2x4x8xi8>
  %t = linalg.transpose ins(%k : tensor<2x8x4xi8>) outs(%e : tensor<2x4x8xi8>) permutation = [0, 2, 1]
  %o = tensor.empty() : tensor<2x8x8xi32>
  %y = nn.matmul ins(%q, %t : tensor<2x8x4xi8>, tensor<2x4x8xi8>) outs(%o : tensor<2x8x8xi32>) {accumulator = i32}
  func.return %y : tensor<2x8x8xi32>
}
