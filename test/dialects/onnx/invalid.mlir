// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @not_a_power_of_two(%x: tensor<2x4xf32>, %m: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{attribute 'div' is 3, it must be a positive power of two}}
  %q = onnx.RequantShift(%x, %m, %m) {div = 3 : si64, n_levels = 256 : si64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %q : tensor<2x4xf32>
}

// -----

func.func @constant_without_value() -> tensor<2xf32> {
  // expected-error@+1 {{expected the attribute 'value'}}
  %c = onnx.Constant() {value_float = 1.0 : f32} : () -> tensor<2xf32>
  func.return %c : tensor<2xf32>
}

// -----

func.func @input_missing(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{input 1 (B) is missing}}
  %q = onnx.MatMul(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %q : tensor<2x4xf32>
}

// -----

func.func @too_many_inputs(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{2 inputs are given, 1 at most are allowed}}
  %q = onnx.Relu(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %q : tensor<2x4xf32>
}

// -----

func.func @attribute_missing(%x: tensor<2x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{property 'axis' expected}}
  %q = onnx.Concat(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  func.return %q : tensor<4x4xf32>
}

// -----

func.func @attribute_of_wrong_kind(%x: tensor<2x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'onnx.Concat' does not verify}}
  %q = onnx.Concat(%x, %x) {axis = "0"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  func.return %q : tensor<4x4xf32>
}

// -----

func.func @no_tensor(%x: i32) -> i32 {
  // expected-error@+1 {{i32 should be of base attribute tensor}}
  %q = onnx.Relu(%x) : (i32) -> i32
  func.return %q : i32
}

// -----

func.func @types_of_one_variable(%x: tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xui8>, tensor<1x2x2x2xi64>) {
  // expected-error@+1 {{'X' and 'Y' must hold one type, T: i8, ui8}}
  %y, %i = onnx.MaxPool(%x) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xui8>, tensor<1x2x2x2xi64>)
  func.return %y, %i : tensor<1x2x2x2xui8>, tensor<1x2x2x2xi64>
}
