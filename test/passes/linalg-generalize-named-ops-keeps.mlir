// RUN: opt-tool %s -p linalg-generalize-named-ops | filecheck %s

// An op that stands for several loop nests stays.

// CHECK: linalg.softmax dimension(1)
func.func @network(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %s : tensor<4x6xf32>
}
