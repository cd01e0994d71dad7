// RUN: opt-tool %s | opt-tool - | filecheck %s

// A program without ops is printed as it is read.

// CHECK: hier.program "nodes" on "array" over (%i, %j) in [4, 2] {
// CHECK-NEXT: }
func.func @network(%x: memref<8xi8>) {
  hier.concurrent {
    hier.program "nodes" on "array" over (%i, %j) in [4, 2] {
    }
  }
  func.return
}
