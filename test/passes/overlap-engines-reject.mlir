// RUN: not opt-tool %s -p overlap-engines 2>&1 | filecheck %s

// CHECK: the module has no machine
// CHECK: run attach-machine{target=NAME} first
func.func @network(%a: memref<64xi8>) {
  func.return
}
