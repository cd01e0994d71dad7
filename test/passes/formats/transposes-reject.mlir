// RUN: opt-tool %s -t transposes --verify-diagnostics

func.func @buffers(%x: memref<2x3xi8>, %y: memref<3x2xi8>) {
  // expected-error @+1 {{transposes of buffers have no demands}}
  linalg.transpose ins(%x : memref<2x3xi8>) outs(%y : memref<3x2xi8>) permutation = [1, 0]
  func.return
}
