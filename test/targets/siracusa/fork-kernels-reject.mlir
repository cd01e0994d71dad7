// RUN: not opt-tool %s -p fork-kernels 2>&1 | filecheck %s

// Without a machine, and without a number of cores, nobody knows how many share a kernel.

// CHECK: error: [fork-kernels, pass 1 of 1] the module has no machine
// CHECK: attach-machine
func.func private @add(%x: memref<20xi32>) attributes {engine = "cluster"} {
  func.return
}
