// RUN: not opt-tool %s --target pim -p find-branches 2>&1 | filecheck %s

// CHECK: error: [find-branches, pass 1 of 1] the module has no kernels on tensors, and so no branches
// CHECK: expected: a network of kernels on tensors
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
