// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s -p convert-onnx-to-linalg | filecheck %s --check-prefix LOOPS

// CHECK-LABEL: func.func @network
// LOOPS-LABEL: func.func @network
func.func @network(%x: tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<i64>) {
  // CHECK-NEXT: %i, %n = onnx.BoundedNonZero(%x) : (tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<i64>)
  %i, %n = onnx.BoundedNonZero(%x) : (tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<i64>)
  // LOOPS: scf.for
  // LOOPS: scf.for
  // LOOPS: arith.cmpf
  // LOOPS: tensor.insert
  // LOOPS: tensor.insert
  // LOOPS: arith.addi
  func.return %i, %n : tensor<2x12xi64>, tensor<i64>
}
