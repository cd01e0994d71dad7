// RUN: opt-tool %s -p convert-unsigned-to-signed | filecheck %s

// No product reads unsigned bytes.
// CHECK-LABEL: @no_product
// CHECK: onnx.DequantizeLinear(%a, {{.*}} : (tensor<2x3xui8>
func.func @no_product(%a: tensor<2x3xui8>) -> tensor<2x3xf32> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.DequantizeLinear(%a, %s) : (tensor<2x3xui8>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// A zero point that is computed.
// CHECK-LABEL: @computed
// CHECK: onnx.MatMulInteger(%a, {{.*}} : (tensor<2x3xui8>
func.func @computed(%a: tensor<2x3xui8>, %z: tensor<ui8>) -> tensor<2x2xi32> {
  %b = onnx.Constant() {value = dense<3> : tensor<3x2xi8>} : () -> tensor<3x2xi8>
  %0 = onnx.MatMulInteger(%a, %b, %z) : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> tensor<2x2xi32>
  func.return %0 : tensor<2x2xi32>
}
