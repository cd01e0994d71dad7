// RUN: opt-tool %s -p fold-constants 2>&1 | filecheck %s

// A quotient of zeros is not a number, and nothing is said of it.

// CHECK-NOT: invalid value
// CHECK:     arith.constant dense<"0x0000C0{{[7F]}}F"> : tensor<1xf32>
// CHECK-NOT: invalid value
func.func @network() -> tensor<1xf32> {
  %k = arith.constant dense<0.0> : tensor<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%k : tensor<1xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%u: f32, %o: f32):
    %s = arith.divf %u, %u : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  func.return %a : tensor<1xf32>
}
