// RUN: opt-tool %s -p convert-unsigned-to-signed | filecheck %s

// No product reads unsigned bytes.
// CHECK-LABEL: @no_product
// CHECK: onnx.DequantizeLinear(%a, {{.*}} : (tensor<2x3xui8>
func.func @no_product(%a: tensor<2x3xui8>) -> tensor<2x3xf32> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.DequantizeLinear(%a, %s) : (tensor<2x3xui8>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}
