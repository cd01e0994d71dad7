// RUN: not opt-tool %s -p split-kernels 2>&1 | filecheck %s

// CHECK: error: [split-kernels, pass 1 of 1]
// CHECK: attach-machine
func.func @network() {
  func.return
}
