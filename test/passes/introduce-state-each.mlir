// RUN: opt-tool %s --pass-pipeline='builtin.module(introduce-state{context=5})' -o %t.mlir
// RUN: opt-tool %t.mlir --pass-pipeline='builtin.module(host-pipeline)' --interpret-each -t c | filecheck %s

// Every pass keeps what several calls in a row give.
// CHECK: #define NETWORK_CONTEXT 5
// CHECK: int32_t network_run(
func.func @network(%k: tensor<1x2x4xf32> {onnx.name = "k", onnx.type = "i8"}, %past: tensor<1x3x4xf32> {onnx.name = "past", onnx.type = "i8"}) -> (tensor<1x2x4xf32> {onnx.name = "y"}, tensor<1x5x4xf32>) {
  %one = onnx.Constant() {value = dense<65536.0> : tensor<f32>} : () -> tensor<f32>
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %c = onnx.Concat(%past, %k) {axis = 1 : si64} : (tensor<1x3x4xf32>, tensor<1x2x4xf32>) -> tensor<1x5x4xf32>
  %present = onnx.RequantShift(%c, %one, %zero) {div = 65536 : si64, signed = 1 : si64, n_levels = 256 : si64} : (tensor<1x5x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x5x4xf32>
  %t = onnx.Transpose(%present) {perm = array<i64: 0, 2, 1>} : (tensor<1x5x4xf32>) -> tensor<1x4x5xf32>
  %s = onnx.MatMul(%k, %t) : (tensor<1x2x4xf32>, tensor<1x4x5xf32>) -> tensor<1x2x5xf32>
  %p = onnx.ITAMax(%s) {n_levels = 128 : si64} : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  %y = onnx.MatMul(%p, %present) : (tensor<1x2x5xf32>, tensor<1x5x4xf32>) -> tensor<1x2x4xf32>
  func.return %y, %present : tensor<1x2x4xf32>, tensor<1x5x4xf32>
}
