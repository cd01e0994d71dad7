// RUN: opt-tool %s -p 'introduce-state{context=4 bucket=5}' --split-input-file --verify-diagnostics
// RUN: opt-tool %s -p 'introduce-state{context=4 bucket=-1}' --split-input-file --verify-diagnostics

// expected-error@unknown {{the state has no bucket of so many rows}}
func.func @network(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>) -> tensor<1x3x4xf32> {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  func.return %c : tensor<1x3x4xf32>
}
