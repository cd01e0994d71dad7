// RUN: not opt-tool %s -p lower-npu-stages 2>&1 | filecheck %s

// CHECK: error: [lower-npu-stages, pass 1 of 1] stage stage0_npu returns tensors
// CHECK: expected:   buffers, among the arguments
// CHECK: remedy:     run bufferize before
func.func private @stage0_npu(%x: tensor<4xf32>) -> tensor<4xf32> attributes {engine = "npu", hmp.artifact = {file = "a"}} {
  func.return %x : tensor<4xf32>
}
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @stage0_npu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
