// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @few(%x: i8) -> i8 {
  // expected-error @+1 {{a byte is looked up among 256 entries of the result's type}}
  %y = quant.lookup %x {table = dense<1> : tensor<4xi8>} : i8 -> i8
  func.return %y : i8
}

// -----

func.func @table(%i: index) -> f32 {
  // expected-error @+1 {{an index is looked up in a table of one axis, of the result's type}}
  %y = quant.entry %i {table = dense<1.0> : tensor<2x2xf32>} : f32
  func.return %y : f32
}
