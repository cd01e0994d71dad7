// RUN: not opt-tool %s --target pim -p find-branches 2>&1 | filecheck %s

// RUN: not opt-tool %S/find-branches-windows.mlir --target pim -p find-branches 2>&1 | filecheck %s --check-prefix=WINDOWS

// WINDOWS: error: [find-branches, pass 1 of 1] branches of a block are unequal
// WINDOWS: expected: as many queries, keys and heads in each branch
// WINDOWS: found: branches of 4 x 4, 1 heads and 2 x 2, 1 heads
// WINDOWS: remedy: pad the image to a multiple of the window

// CHECK: error: [find-branches, pass 1 of 1] the module has no kernels on tensors, and so no branches
// CHECK: expected: a network of kernels on tensors
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
