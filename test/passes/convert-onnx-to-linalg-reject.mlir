// RUN: opt-tool %s -p convert-onnx-to-linalg --split-input-file --verify-diagnostics

// All gaps are listed, not only the first.
// expected-error@unknown {{2 nodes of the network cannot be lowered to the tensor level}}
// expected-note@unknown {{node "first": no lowering for Multinomial}}
// expected-note@unknown {{node "third": no lowering for Det}}
func.func @gaps(%x: tensor<4x4xf32>) -> (tensor<4x1xi32>, tensor<f32>) {
  %a = onnx.Multinomial(%x) : (tensor<4x4xf32>) -> tensor<4x1xi32> loc("first")
  %b = onnx.Exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("second")
  %c = onnx.Det(%b) : (tensor<4x4xf32>) -> tensor<f32> loc("third")
  func.return %a, %c : tensor<4x1xi32>, tensor<f32>
}

// -----

func.func @blocks(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>) -> tensor<4x6xui8> {
  // expected-error@+1 {{QuantizeLinear with scales of shape [2, 3] for a tensor of shape [4, 6] has no lowering}}
  %y = onnx.QuantizeLinear(%x, %s) {block_size = 2 : si64} : (tensor<4x6xf32>, tensor<2x3xf32>) -> tensor<4x6xui8>
  func.return %y : tensor<4x6xui8>
}

// -----

func.func @training(%x: tensor<4xf32>, %r: tensor<f32>, %t: tensor<i1>) -> tensor<4xf32> {
  // expected-error@+1 {{Dropout in training has no lowering}}
  %y = onnx.Dropout(%x, %r, %t) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @axes(%x: tensor<2x2xf32>, %axes: tensor<1xi64>) -> tensor<2x1xf32> {
  // expected-error@+1 {{ReduceSum over axes that are not constant has no lowering}}
  %y = onnx.ReduceSum(%x, %axes) : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}

// -----

func.func @pads(%x: tensor<4xf32>, %p: tensor<2xi64>) -> tensor<6xf32> {
  // expected-error@+1 {{Pad with pads that are not constant has no lowering}}
  %y = onnx.Pad(%x, %p) {mode = "reflect"} : (tensor<4xf32>, tensor<2xi64>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}

// -----

func.func @bounds(%x: tensor<4xf32>, %s: tensor<1xi64>) -> tensor<4xf32> {
  // expected-error@+1 {{Slice with bounds that are not constant has no lowering}}
  %y = onnx.Slice(%x, %s, %s) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error@+1 {{an index is outside of axis 0, of extent 4}}
  %y = onnx.Gather(%x, %i) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

func.func @factors(%x: tensor<1x4x2xi8>, %m: tensor<2x3xi8>) -> tensor<1x4x2xi8> {
  // expected-error@+1 {{do not fit}}
  %y = onnx.RequantShift(%x, %m, %m) {div = 2 : si64, n_levels = 256 : si64} : (tensor<1x4x2xi8>, tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<1x4x2xi8>
  func.return %y : tensor<1x4x2xi8>
}

// -----

func.func @divisor(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{the divisor y * eta + eps is zero}}
  %y = onnx.TrueIntegerDiv(%x) {Delta = 1 : si64, eps = 0 : si64, eta = 1 : si64, y = 0 : si64} : (tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// -----

// A program is at the graph level or beyond it, not both.
func.func @mixed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = onnx.Exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{arith.negf stands beside onnx ops}}
  %b = arith.negf %a : tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// -----

// expected-error@+1 {{the program is at the level of buffers already}}
func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  func.return
}

// -----

func.func @zero_points(%a: tensor<4x3xi8>, %b: tensor<3x2xi8>, %za: tensor<i8>, %zb: tensor<1x3xi8>) -> tensor<4x2xi32> {
  // expected-error@+1 {{a scale or zero point does not go with its tensor}}
  %y = onnx.MatMulInteger(%a, %b, %za, %zb) : (tensor<4x3xi8>, tensor<3x2xi8>, tensor<i8>, tensor<1x3xi8>) -> tensor<4x2xi32>
  func.return %y : tensor<4x2xi32>
}

// -----

func.func @zero_points_of_weights(%x: tensor<1x2x3x3xui8>, %w: tensor<2x2x1x1xi8>, %s: tensor<f32>, %z: tensor<ui8>, %zw: tensor<1x2x1x1xi8>) -> tensor<1x2x3x3xui8> {
  // expected-error@+1 {{a scale or zero point does not go with its tensor}}
  %y = onnx.QLinearConv(%x, %s, %z, %w, %s, %zw, %s, %z) : (tensor<1x2x3x3xui8>, tensor<f32>, tensor<ui8>, tensor<2x2x1x1xi8>, tensor<f32>, tensor<1x2x1x1xi8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x3x3xui8>
  func.return %y : tensor<1x2x3x3xui8>
}

// -----

func.func @requantisation_of_floats(%x: tensor<2x4xf32>, %m: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{RequantShift of floats has no lowering}}
  %y = onnx.RequantShift(%x, %m, %m) {div = 256 : si64, n_levels = 256 : si64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// -----

func.func @gelu_of_floats(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{iGELU of floats has no lowering}}
  %y = onnx.iGELU(%x) {b = -10 : si64, one = 20 : si64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
