// RUN: opt-tool %s -p map-modules | filecheck %s

// A kernel runs on the engine of its function, one that has an engine keeps it.
// CHECK-LABEL: @network_ffn0
// CHECK:       linalg.add {engine = "tpu"}
// CHECK-LABEL: func.func @network(
// CHECK:       linalg.add {engine = "core"}
// CHECK:       linalg.mul {engine = "other"}
func.func private @network_ffn0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {engine = "tpu"} {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = func.call @network_ffn0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.mul {engine = "other"} ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
