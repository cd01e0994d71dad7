// RUN: opt-tool %s -p convert-unsigned-to-signed | filecheck %s

// CHECK-LABEL: @quantised
// CHECK: %[[Z:.*]] = onnx.Constant() {value = dense<-118> : tensor<i8>}
// CHECK: %[[Q:.*]] = onnx.QuantizeLinear(%x, %{{.*}}, %[[Z]]) {{.*}} -> tensor<1x4x4x4xi8>
// CHECK: %[[P:.*]] = onnx.Transpose(%[[Q]])
// CHECK: value = dense<72> : tensor<i8>
// CHECK: %[[C:.*]] = onnx.QLinearConv(%[[P]], {{.*}} -> tensor<1x2x4x4xi8>
// CHECK: onnx.DequantizeLinear(%[[C]], {{.*}} -> tensor<1x2x4x4xf32>
func.func @quantised(%x: tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %y = onnx.Constant() {value = dense<200> : tensor<ui8>} : () -> tensor<ui8>
  %o = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %w = onnx.Constant() {value = dense<3> : tensor<2x4x1x1xi8>} : () -> tensor<2x4x1x1xi8>
  %0 = onnx.QuantizeLinear(%x, %s, %z) : (tensor<1x4x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x4x4xui8>
  %1 = onnx.Transpose(%0) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x4xui8>) -> tensor<1x4x4x4xui8>
  %2 = onnx.QLinearConv(%1, %s, %z, %w, %s, %o, %s, %y) : (tensor<1x4x4x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4x1x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xui8>
  %3 = onnx.DequantizeLinear(%2, %s, %y) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  func.return %3 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @ports
// CHECK: onnx.BitwiseXor(%a
// CHECK: onnx.BitCast
// CHECK: onnx.MatMulInteger(%{{.*}} : (tensor<2x3xi8>, tensor<3x2xi8>, tensor<i8>, tensor<i8>) -> tensor<2x2xi32>
func.func @ports(%a: tensor<2x3xui8>) -> tensor<2x2xi32> {
  %b = onnx.Constant() {value = dense<129> : tensor<3x2xui8>} : () -> tensor<3x2xui8>
  %0 = onnx.MatMulInteger(%a, %b) : (tensor<2x3xui8>, tensor<3x2xui8>) -> tensor<2x2xi32>
  func.return %0 : tensor<2x2xi32>
}

// CHECK-LABEL: @computed
// CHECK-COUNT-2: onnx.BitCast
// CHECK: onnx.MatMulInteger(%{{.*}} : (tensor<2x3xi8>, tensor<3x2xi8>, tensor<i8>{{.*}}) -> tensor<2x2xi32>
func.func @computed(%a: tensor<2x3xui8>, %z: tensor<ui8>) -> tensor<2x2xi32> {
  %b = onnx.Constant() {value = dense<3> : tensor<3x2xi8>} : () -> tensor<3x2xi8>
  %0 = onnx.MatMulInteger(%a, %b, %z) : (tensor<2x3xui8>, tensor<3x2xi8>, tensor<ui8>) -> tensor<2x2xi32>
  func.return %0 : tensor<2x2xi32>
}

// What is moved after the bytes are numbers again is no byte.
// CHECK-LABEL: @numbers
// CHECK: %[[D:.*]] = onnx.DequantizeLinear(%{{.*}} : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
// CHECK: onnx.Transpose(%[[D]]) {{.*}} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
// CHECK: onnx.Transpose(%{{.*}} : (tensor<2x2xi32>) -> tensor<2x2xi32>
func.func @numbers(%x: tensor<1x4x4x4xui8>, %a: tensor<2x3xui8>) -> (tensor<1x4x4x2xf32>, tensor<2x2xi32>) {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %o = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %w = onnx.Constant() {value = dense<3> : tensor<2x4x1x1xi8>} : () -> tensor<2x4x1x1xi8>
  %0 = onnx.QLinearConv(%x, %s, %z, %w, %s, %o, %s, %z) : (tensor<1x4x4x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4x1x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xui8>
  %1 = onnx.DequantizeLinear(%0, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %2 = onnx.Transpose(%1) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
  %b = onnx.Constant() {value = dense<129> : tensor<3x2xui8>} : () -> tensor<3x2xui8>
  %3 = onnx.MatMulInteger(%a, %b) : (tensor<2x3xui8>, tensor<3x2xui8>) -> tensor<2x2xi32>
  %4 = onnx.Transpose(%3) {perm = array<i64: 1, 0>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  func.return %2, %4 : tensor<1x4x4x2xf32>, tensor<2x2xi32>
}
