// RUN: opt-tool %s --verify-diagnostics

func.func @few(%x: i8) -> i8 {
  // expected-error @+1 {{a byte is looked up among 256 entries of the result's type}}
  %y = quant.lookup %x {table = dense<1> : tensor<4xi8>} : i8 -> i8
  func.return %y : i8
}
