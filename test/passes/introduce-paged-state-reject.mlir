// RUN: opt-tool %s -p 'introduce-paged-state{context=64 page-length=16}' --split-input-file --verify-diagnostics

func.func @network(%ids: tensor<1x1xi64> {onnx.name = "input_ids"}, %past_k: tensor<1x1x3x8xf32> {onnx.name = "past_k"}, %past_v: tensor<1x1x3x8xf32> {onnx.name = "past_v"}, %position_ids: tensor<1x1xi64> {onnx.name = "position_ids"}) -> (tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %words = onnx.Constant() {value = dense<0.5> : tensor<9x16xf32>} : () -> tensor<9x16xf32>
  %four = onnx.Constant() {value = dense<[1, 1, 2, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %one = onnx.Constant() {value = dense<[1, 1, 1, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %w = onnx.Constant() {value = dense<0.25> : tensor<16x8xf32>} : () -> tensor<16x8xf32>
  %shared = onnx.Constant() {value = dense<[1, 2, 4, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %x = onnx.Gather(%words, %ids) : (tensor<9x16xf32>, tensor<1x1xi64>) -> tensor<1x1x16xf32>
  %qs = onnx.Reshape(%x, %four) : (tensor<1x1x16xf32>, tensor<4xi64>) -> tensor<1x1x2x8xf32>
  %q = onnx.Transpose(%qs) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x1x2x8xf32>) -> tensor<1x2x1x8xf32>
  %kx = onnx.MatMul(%x, %w) : (tensor<1x1x16xf32>, tensor<16x8xf32>) -> tensor<1x1x8xf32>
  %k = onnx.Reshape(%kx, %one) : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x1x8xf32>
  %present_k = onnx.Concat(%past_k, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %present_v = onnx.Concat(%past_v, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %keys = onnx.Expand(%present_k, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %values = onnx.Expand(%present_v, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %t = onnx.Transpose(%keys) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x8xf32>) -> tensor<1x2x8x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x2x1x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32>
  %scale = onnx.Constant() {value = dense<0.353553385> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%s, %scale) : (tensor<1x2x1x4xf32>, tensor<f32>) -> tensor<1x2x1x4xf32>
  // expected-error@+1 {{a constant has a value of its own for each cached row}}
  %last = onnx.Constant() {value = dense<[[[[-3.0e+38, -3.0e+38, 0.0, 0.0]]]]> : tensor<1x1x1x4xf32>} : () -> tensor<1x1x1x4xf32>
  %m = onnx.Add(%a, %last) : (tensor<1x2x1x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x1x4xf32>
  %p = onnx.Softmax(%m) {axis = -1 : si64} : (tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %y = onnx.MatMul(%p, %values) : (tensor<1x2x1x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x1x8xf32>
  func.return %y, %present_k, %present_v : tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}

// -----

func.func @network(%ids: tensor<1x1xi64> {onnx.name = "input_ids"}, %past_k: tensor<1x1x3x8xf32> {onnx.name = "past_k"}, %past_v: tensor<1x1x3x8xf32> {onnx.name = "past_v"}, %position_ids: tensor<1x1xi64> {onnx.name = "position_ids"}) -> (tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %words = onnx.Constant() {value = dense<0.5> : tensor<9x16xf32>} : () -> tensor<9x16xf32>
  %four = onnx.Constant() {value = dense<[1, 1, 2, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %one = onnx.Constant() {value = dense<[1, 1, 1, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %w = onnx.Constant() {value = dense<0.25> : tensor<16x8xf32>} : () -> tensor<16x8xf32>
  %shared = onnx.Constant() {value = dense<[1, 2, 4, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %x = onnx.Gather(%words, %ids) : (tensor<9x16xf32>, tensor<1x1xi64>) -> tensor<1x1x16xf32>
  %qs = onnx.Reshape(%x, %four) : (tensor<1x1x16xf32>, tensor<4xi64>) -> tensor<1x1x2x8xf32>
  %q = onnx.Transpose(%qs) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x1x2x8xf32>) -> tensor<1x2x1x8xf32>
  %kx = onnx.MatMul(%x, %w) : (tensor<1x1x16xf32>, tensor<16x8xf32>) -> tensor<1x1x8xf32>
  %k = onnx.Reshape(%kx, %one) : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x1x8xf32>
  // expected-error@+1 {{a layer's attention cannot be paged}}
  %present_k = onnx.Concat(%past_k, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %present_v = onnx.Concat(%past_v, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %keys = onnx.Expand(%present_k, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %values = onnx.Expand(%present_v, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %t = onnx.Transpose(%keys) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x8xf32>) -> tensor<1x2x8x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x2x1x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32>
  %scale = onnx.Constant() {value = dense<0.353553385> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%s, %scale) : (tensor<1x2x1x4xf32>, tensor<f32>) -> tensor<1x2x1x4xf32>
  %p = onnx.Relu(%a) : (tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %y = onnx.MatMul(%p, %values) : (tensor<1x2x1x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x1x8xf32>
  func.return %y, %present_k, %present_v : tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}

// -----

// expected-error@unknown {{a layer's attention cannot be paged}}
func.func @network(%ids: tensor<1x1xi64> {onnx.name = "input_ids"}, %past_k: tensor<1x2x3x8xf32> {onnx.name = "past_k"}, %past_v: tensor<1x2x3x8xf32> {onnx.name = "past_v"}, %position_ids: tensor<1x1xi64> {onnx.name = "position_ids"}) -> (tensor<1x4x1x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) {
  %words = onnx.Constant() {value = dense<0.5> : tensor<9x32xf32>} : () -> tensor<9x32xf32>
  %four = onnx.Constant() {value = dense<[1, 4, 1, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %two = onnx.Constant() {value = dense<[1, 2, 1, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %w = onnx.Constant() {value = dense<0.25> : tensor<32x16xf32>} : () -> tensor<32x16xf32>
  %tiled = onnx.Constant() {value = dense<[1, 2, 2, 4, 8]> : tensor<5xi64>} : () -> tensor<5xi64>
  %ones = onnx.Constant() {value = dense<[1, 1, 2, 4, 8]> : tensor<5xi64>} : () -> tensor<5xi64>
  %flat = onnx.Constant() {value = dense<[1, 4, 4, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %x = onnx.Gather(%words, %ids) : (tensor<9x32xf32>, tensor<1x1xi64>) -> tensor<1x1x32xf32>
  %q = onnx.Reshape(%x, %four) : (tensor<1x1x32xf32>, tensor<4xi64>) -> tensor<1x4x1x8xf32>
  %kx = onnx.MatMul(%x, %w) : (tensor<1x1x32xf32>, tensor<32x16xf32>) -> tensor<1x1x16xf32>
  %k = onnx.Reshape(%kx, %two) : (tensor<1x1x16xf32>, tensor<4xi64>) -> tensor<1x2x1x8xf32>
  %present_k = onnx.Concat(%past_k, %k) {axis = 2 : si64} : (tensor<1x2x3x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x4x8xf32>
  %present_v = onnx.Concat(%past_v, %k) {axis = 2 : si64} : (tensor<1x2x3x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x4x8xf32>
  %k5 = onnx.Reshape(%present_k, %ones) : (tensor<1x2x4x8xf32>, tensor<5xi64>) -> tensor<1x1x2x4x8xf32>
  %v5 = onnx.Reshape(%present_v, %ones) : (tensor<1x2x4x8xf32>, tensor<5xi64>) -> tensor<1x1x2x4x8xf32>
  %kt = onnx.Expand(%k5, %tiled) : (tensor<1x1x2x4x8xf32>, tensor<5xi64>) -> tensor<1x2x2x4x8xf32>
  %vt = onnx.Expand(%v5, %tiled) : (tensor<1x1x2x4x8xf32>, tensor<5xi64>) -> tensor<1x2x2x4x8xf32>
  %keys = onnx.Reshape(%kt, %flat) : (tensor<1x2x2x4x8xf32>, tensor<4xi64>) -> tensor<1x4x4x8xf32>
  %values = onnx.Reshape(%vt, %flat) : (tensor<1x2x2x4x8xf32>, tensor<4xi64>) -> tensor<1x4x4x8xf32>
  %t = onnx.Transpose(%keys) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x4x4x8xf32>) -> tensor<1x4x8x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x4x1x8xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x1x4xf32>
  %p = onnx.Softmax(%s) {axis = -1 : si64} : (tensor<1x4x1x4xf32>) -> tensor<1x4x1x4xf32>
  %y = onnx.MatMul(%p, %values) : (tensor<1x4x1x4xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y, %present_k, %present_v : tensor<1x4x1x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>
}
