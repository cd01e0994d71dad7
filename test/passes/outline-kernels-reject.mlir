// RUN: opt-tool %s -p outline-kernels --split-input-file --verify-diagnostics

func.func @network(%fill: i8, %x: memref<4xi8>) {
  // expected-error@+1 {{a kernel's scalar operand is not a constant}}
  linalg.fill ins(%fill : i8) outs(%x : memref<4xi8>)
  func.return
}

// -----

func.func @step(%a: memref<16xi8>, %at: memref<1xi32> {tilewright.state = array<i64: 1, 9>}) {
  return
}

// expected-error@+1 {{a bucket has no position}}
func.func @step_3(%a: memref<16xi8>, %at: memref<1xi32>) attributes {tilewright.bucket_of = "step"} {
  return
}

// -----

func.func @network(%fill: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.fill' works on tensors; it needs buffers}}
  %r = linalg.fill ins(%fill : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
