// RUN: opt-tool %s -p infer-integer-types --split-input-file --verify-diagnostics

func.func @floats(%x: tensor<1x4xf32>, %m: tensor<f32>) -> tensor<1x4xf32> {
  %e = onnx.Exp(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // expected-error@+1 {{'onnx.RequantShift' needs integers, operand 0 holds other numbers}}
  %y = onnx.RequantShift(%e, %m, %m) {div = 2 : si64, n_levels = 256 : si64} : (tensor<1x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}

// -----

func.func @fractions(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %m = onnx.Constant() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{'onnx.RequantShift' needs integers, the constant that is operand 1 holds others}}
  %y = onnx.RequantShift(%x, %m, %m) {div = 2 : si64, n_levels = 256 : si64} : (tensor<1x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}

// -----

func.func @behind_a_shape(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %s = onnx.Constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e = onnx.Exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'onnx.Reshape' needs integers, operand 0 holds other numbers}}
  %r = onnx.Reshape(%e, %s) : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
  %y = onnx.ITAMax(%r) {n_levels = 256 : si64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}

// -----

func.func @too_wide(%x: tensor<4xf32> {onnx.type = "i32"}) -> tensor<4xf32> {
  %s = onnx.Mul(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{numbers between -9903520314283042199192993792 and 9903520309671356180765605888 do not fit 64 bits}}
  %y = onnx.Mul(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
