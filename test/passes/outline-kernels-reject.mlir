// RUN: opt-tool %s -p outline-kernels --verify-diagnostics

func.func @network(%fill: i8, %x: memref<4xi8>) {
  // expected-error@+1 {{a kernel's scalar operand is no constant}}
  linalg.fill ins(%fill : i8) outs(%x : memref<4xi8>)
  func.return
}
