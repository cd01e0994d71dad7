// RUN: opt-tool %s -p fold-constants | filecheck %s

// The value that passes compute with is the one that the bits give.

// CHECK-LABEL: func.func @computed
// CHECK: dense<3.000000e+00> : tensor<2xf32>
func.func @computed() -> tensor<2xf32> {
  %a = arith.constant dense<0x3F800000> : tensor<2xf32>
  %b = arith.constant dense<2.0> : tensor<2xf32>
  %c = arith.addf %a, %b : tensor<2xf32>
  func.return %c : tensor<2xf32>
}
