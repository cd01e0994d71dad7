// RUN: opt-tool %s -p outline-stages --split-input-file --verify-diagnostics

func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add {hmp.layer = 1 : i64, engine = "big"} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{layer 0 begins before layer 1 ends}}
  %b = linalg.mul {hmp.layer = 0 : i64, engine = "big"} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
// -----
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add {hmp.layer = 0 : i64, engine = "big"} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{layer 0 is on two processors}}
  %b = linalg.mul {hmp.layer = 0 : i64, engine = "gpu"} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
// -----
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add {hmp.layer = 0 : i64, engine = "big"} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{layer 1 has no processor}}
  %b = linalg.mul {hmp.layer = 1 : i64} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
