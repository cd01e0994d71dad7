// RUN: opt-tool %s --mlir-print-debuginfo | filecheck %s
// RUN: opt-tool %s --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @network
func.func @network(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %s: tensor<4xf32>, %c: tensor<i1>) -> tensor<1x4x8x8xf32> {
  // CHECK-NEXT: %y = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> loc("first")
  %y = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> loc("first")
  // CHECK-NEXT: %r = onnx.Resize(%y, none, %s) {mode = "linear"} :
  %r = onnx.Resize(%y, none, %s) {mode = "linear"} : (tensor<1x4x8x8xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // CHECK-NEXT: %z = onnx.Concat(%r, %r) {axis = 1 : si64} :
  %z = onnx.Concat(%r, %r) {axis = 1 : si64} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  // CHECK-NEXT: %a, %b = onnx.Split(%z) {axis = 1 : si64, num_outputs = 2 : si64} : (tensor<1x8x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>)
  %a, %b = onnx.Split(%z) {axis = 1 : si64, num_outputs = 2 : si64} : (tensor<1x8x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>)
  // CHECK-NEXT: %m = onnx.Constant() {value = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
  %m = onnx.Constant() {value = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
  // CHECK-NEXT: %q = onnx.RequantShift(%a, %m, %m) {div = 256 : si64, n_levels = 256 : si64, engine = "npu"} :
  %q = onnx.RequantShift(%a, %m, %m) {div = 256 : si64, n_levels = 256 : si64, engine = "npu"} : (tensor<1x4x8x8xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x8x8xf32>
  // CHECK-NEXT: %i = onnx.If(%c) {
  // CHECK-NEXT:   onnx.Yield %q : tensor<1x4x8x8xf32>
  // CHECK-NEXT: } {
  // CHECK-NEXT:   onnx.Yield %b : tensor<1x4x8x8xf32>
  // CHECK-NEXT: } : (tensor<i1>) -> tensor<1x4x8x8xf32>
  %i = onnx.If(%c) {
    onnx.Yield %q : tensor<1x4x8x8xf32>
  } {
    onnx.Yield %b : tensor<1x4x8x8xf32>
  } : (tensor<i1>) -> tensor<1x4x8x8xf32>
  // CHECK-NEXT: %h = onnx.ml.Normalizer(%i) {norm = "L2"} :
  %h = onnx.ml.Normalizer(%i) {norm = "L2"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  func.return %h : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @last_output_only
func.func @last_output_only(%x: tensor<2x1x4xf32>, %w: tensor<1x12x4xf32>, %r: tensor<1x12x3xf32>) -> tensor<1x1x3xf32> {
  // CHECK-NEXT: onnx.LSTM(%x, %w, %r) {hidden_size = 3 : si64} : (tensor<2x1x4xf32>, tensor<1x12x4xf32>, tensor<1x12x3xf32>) -> (none, none, tensor<1x1x3xf32>)
  %c = onnx.LSTM(%x, %w, %r) {hidden_size = 3 : si64} : (tensor<2x1x4xf32>, tensor<1x12x4xf32>, tensor<1x12x3xf32>) -> (none, none, tensor<1x1x3xf32>)
  func.return %c : tensor<1x1x3xf32>
}
