// RUN: opt-tool %s -p find-layers | filecheck %s

// Products of one row are layers of their own; the addition belongs to the layer before, both operands of which it reads:
// one value alone is alive behind it.
// CHECK: linalg.matmul {{{.*}}hmp.layer = 0 : i64}
// CHECK: linalg.matmul {{{.*}}hmp.layer = 1 : i64}
// CHECK: linalg.add {hmp.layer = 1 : i64}
// CHECK: linalg.matmul {{{.*}}hmp.layer = 2 : i64}
func.func @network(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = arith.constant dense<1.0> : tensor<64x64xf32>
  %e = tensor.empty() : tensor<1x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %b = linalg.matmul ins(%a, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %c = linalg.add ins(%a, %b : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %d = linalg.matmul ins(%c, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  func.return %d : tensor<1x64xf32>
}
