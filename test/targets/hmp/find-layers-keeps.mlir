// RUN: opt-tool %s -p find-layers | filecheck %s

// What depends on no argument is of no layer, and neither is the return.
// CHECK-NOT: hmp.layer
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%k, %k : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
