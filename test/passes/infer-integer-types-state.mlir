// RUN: opt-tool %s -p infer-integer-types --split-input-file --verify-diagnostics | filecheck %s

// A state holds what is stored in it, and the zeros that it begins with, whatever type the model declares.
// CHECK:       ml_program.global private mutable @k(dense<0> : tensor<1x8x2xi8>) : tensor<1x8x2xi8>
// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %p: tensor<1xi32> {tilewright.range = array<i64: 0, 7>, onnx.type = "i32"}
// CHECK:         %old = ml_program.global_load @k : tensor<1x8x2xi8>
// CHECK-NEXT:    %new = onnx.TensorScatter(%old, %r, %p) {axis = 1 : si64, range = array<i64: -128, 127>
ml_program.global private mutable @k(dense<0.0> : tensor<1x8x2xf32>) : tensor<1x8x2xf32>
func.func @network(%x: tensor<1x1x2xf32> {onnx.type = "i8"}, %p: tensor<1xi32> {tilewright.range = array<i64: 0, 7>}) {
  %m = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %r = onnx.RequantShift(%x, %m, %m) {div = 16 : si64, signed = 1 : si64, n_levels = 256 : si64} : (tensor<1x1x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2xf32>
  %old = ml_program.global_load @k : tensor<1x8x2xf32>
  %new = onnx.TensorScatter(%old, %r, %p) {axis = 1 : si64} : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<1xi32>) -> tensor<1x8x2xf32>
  ml_program.global_store @k = %new : tensor<1x8x2xf32>
  func.return
}

// -----

ml_program.global private mutable @k(dense<0.0> : tensor<1x8x2xf32>) : tensor<1x8x2xf32>
func.func @network(%x: tensor<1x1x2xf32> {onnx.type = "i8"}, %p: tensor<1xi32>) {
  %m = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %r = onnx.RequantShift(%x, %m, %m) {div = 16 : si64, signed = 1 : si64, n_levels = 256 : si64} : (tensor<1x1x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x2xf32>
  %old = ml_program.global_load @k : tensor<1x8x2xf32>
  %new = onnx.TensorScatter(%old, %r, %p) {axis = 1 : si64} : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<1xi32>) -> tensor<1x8x2xf32>
  ml_program.global_store @k = %new : tensor<1x8x2xf32>
  func.return
}
func.func @network_prefill(%x: tensor<1x2x2xf32> {onnx.type = "i8"}, %p: tensor<1xi32>) {
  %m = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %r = onnx.RequantShift(%x, %m, %m) {div = 16 : si64, signed = 0 : si64, n_levels = 256 : si64} : (tensor<1x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x2xf32>
  // expected-error@+1 {{two functions write different ranges to the state @k}}
  %old = ml_program.global_load @k : tensor<1x8x2xf32>
  %new = onnx.TensorScatter(%old, %r, %p) {axis = 1 : si64} : (tensor<1x8x2xf32>, tensor<1x2x2xf32>, tensor<1xi32>) -> tensor<1x8x2xf32>
  ml_program.global_store @k = %new : tensor<1x8x2xf32>
  func.return
}

// -----

// Rows from 100 on leave the zeros of those that are not written yet.
// CHECK-LABEL: func.func @network(
// CHECK:         onnx.TensorScatter({{.*}} range = array<i64: 0, 120>
ml_program.global private mutable @k(dense<0.0> : tensor<1x8x2xf32>) : tensor<1x8x2xf32>
func.func @network(%x: tensor<1x1x2xf32> {onnx.type = "i8", tilewright.range = array<i64: 100, 120>}, %p: tensor<1xi32> {tilewright.range = array<i64: 0, 7>}) {
  %old = ml_program.global_load @k : tensor<1x8x2xf32>
  %new = onnx.TensorScatter(%old, %x, %p) {axis = 1 : si64} : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<1xi32>) -> tensor<1x8x2xf32>
  ml_program.global_store @k = %new : tensor<1x8x2xf32>
  func.return
}
