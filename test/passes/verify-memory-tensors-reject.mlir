// RUN: opt-tool %s -p verify-memory --verify-diagnostics

// expected-error@+1 {{the program has tensors, which have no memory to verify}}
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
