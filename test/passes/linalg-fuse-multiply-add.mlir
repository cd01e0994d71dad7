// RUN: opt-tool %s -p linalg-fuse-multiply-add --interpret-each | filecheck %s

// Float vectors are fused; xDSL's kernel would be wrong for matrices and integers, which stay.

// CHECK-LABEL: func.func @network
// CHECK:         linalg.generic
// CHECK-NEXT:    ^
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         linalg.mul
// CHECK-NEXT:    linalg.add
// CHECK-NEXT:    linalg.mul
// CHECK-NEXT:    linalg.add
func.func @network(%a: tensor<4xf32>, %m: tensor<2x3xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<4xi32>) {
  %0 = linalg.mul ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%0, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.mul ins(%m, %m : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m : tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = linalg.add ins(%2, %m : tensor<2x3xf32>, tensor<2x3xf32>) outs(%m : tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = linalg.mul ins(%i, %i : tensor<4xi32>, tensor<4xi32>) outs(%i : tensor<4xi32>) -> tensor<4xi32>
  %5 = linalg.add ins(%4, %i : tensor<4xi32>, tensor<4xi32>) outs(%i : tensor<4xi32>) -> tensor<4xi32>
  func.return %1, %3, %5 : tensor<4xf32>, tensor<2x3xf32>, tensor<4xi32>
}
