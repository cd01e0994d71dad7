// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'tanh' is not defined for i32}}
  %r = linalg.tanh ins(%a : tensor<4xi32>) outs(%a : tensor<4xi32>) -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

func.func @f(%a: tensor<4xi8>, %b: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{expected the output to hold i8, found i32}}
  %r = linalg.div ins(%a, %a : tensor<4xi8>, tensor<4xi8>) outs(%b : tensor<4xi32>) -> tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// -----

func.func @f(%x: tensor<1x8x3xf32>, %k: tensor<3x3x4xf32>, %y: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  // expected-error@+1 {{expected 1 positive strides, found [2, 2]}}
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x3xf32>, tensor<3x3x4xf32>)
      outs(%y : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  func.return %r : tensor<1x3x4xf32>
}

// -----

func.func @f(%x: tensor<1x6x3xf32>, %k: tensor<3x3x4xf32>, %y: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  // expected-error@+1 {{inferred input/output operand #0 has shape's dimension #1 to be greater than or equal to 7, but found 6}}
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%x, %k : tensor<1x6x3xf32>, tensor<3x3x4xf32>)
      outs(%y : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  func.return %r : tensor<1x3x4xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected dimensions of 0 to 1 in ascending order, found [2]}}
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4x5xf32>) outs(%b : tensor<4xf32>) dimensions = [2]
  func.return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{inputs and output must have one shape}}
  %r = linalg.map { math.exp } ins(%a : tensor<4xf32>) outs(%b : tensor<5xf32>)
  func.return %r : tensor<5xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{expected a dimension of 0 to 1, found 2}}
  %r = linalg.softmax dimension(2) ins(%a : tensor<4x5xf32>) outs(%a : tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return %r : tensor<4x5xf32>
}

// -----

func.func @f(%f: tensor<2x3x3x5xf32>, %o: tensor<5x6x5x2xf32>) -> tensor<5x6x5x2xf32> {
  // expected-error@+1 {{expected an output of shape [6, 6, 5, 2], found [5, 6, 5, 2]}}
  %r = linalg.winograd_filter_transform m(4) r(3) ins(%f : tensor<2x3x3x5xf32>) outs(%o : tensor<5x6x5x2xf32>)
      -> tensor<5x6x5x2xf32>
  func.return %r : tensor<5x6x5x2xf32>
}

// -----

func.func @f() -> index {
  // expected-error@+1 {{'linalg.index' expects parent op 'linalg.generic', or another structured op of linalg}}
  %i = linalg.index 0 : index
  func.return %i : index
}
