// RUN: opt-tool %s -p 'introduce-state{context=8 bucket=3}' -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: opt-tool %t.mlir --pass-pipeline='builtin.module(host-pipeline)' -t c | filecheck %s --check-prefix=C

// The function for all rows, and those that work on the first three and six of the same state and of the same mask.
// CHECK:       ml_program.global private mutable @past_k(dense<0.000000e+00> : tensor<1x8x4xf32>) : tensor<1x8x4xf32>
// CHECK-NOT:   ml_program.global private
// CHECK-LABEL: func.func @network(
// CHECK-SAME:    tilewright.state = array<i64: 1, 8>, tilewright.range = array<i64: 0, 7>
// CHECK-NOT:     bucket_of
// CHECK-LABEL: func.func @network_3(
// CHECK-SAME:    %m: tensor<8xf32>
// CHECK-SAME:    tilewright.state = array<i64: 1, 3>, tilewright.range = array<i64: 0, 2>
// CHECK-SAME:    attributes {tilewright.bucket_of = "network"}
// CHECK:         onnx.Slice(%m, {{.*}}) : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
// CHECK:         %[[NEW:.*]] = onnx.TensorScatter(
// CHECK-NEXT:    ml_program.global_store @past_k = %[[NEW]] : tensor<1x8x4xf32>
// CHECK:         onnx.Slice(%[[NEW]], {{.*}}) : (tensor<1x8x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x4xf32>
// CHECK-LABEL: func.func @network_6(
// CHECK-SAME:    tilewright.state = array<i64: 1, 6>, tilewright.range = array<i64: 0, 5>
// CHECK-SAME:    attributes {tilewright.bucket_of = "network"}

// The one function that C sees asks for the position.
// C-NOT: network_3_run
// C:     static TW_KERNEL void network_3(
// C:     int32_t network_run(
// C:     <= INT64_C(2)
// C:     network_3(
// C:     } else {
// C:     <= INT64_C(5)
// C:     network_6(
// C:     } else {
// C:     network_step(
func.func @network(%q: tensor<1x1x4xf32> {onnx.type = "i8"}, %past: tensor<1x3x4xf32> {onnx.name = "past_k", onnx.type = "i8"}, %m: tensor<4xf32> {onnx.name = "mask", onnx.type = "i8"}) -> (tensor<1x1x4xf32>, tensor<1x4x4xf32>) {
  %present = onnx.Concat(%past, %q) {axis = 1 : si64} : (tensor<1x3x4xf32>, tensor<1x1x4xf32>) -> tensor<1x4x4xf32>
  %t = onnx.Transpose(%present) {perm = array<i64: 0, 2, 1>} : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x1x4xf32>, tensor<1x4x4xf32>) -> tensor<1x1x4xf32>
  %a = onnx.Add(%s, %m) : (tensor<1x1x4xf32>, tensor<4xf32>) -> tensor<1x1x4xf32>
  %p = onnx.iSoftmax(%a) {coeffA = 1 : si64, coeffB = 43 : si64, coeffC = 983 : si64, log2 = 22 : si64} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  %y = onnx.MatMul(%p, %present) : (tensor<1x1x4xf32>, tensor<1x4x4xf32>) -> tensor<1x1x4xf32>
  func.return %y, %present : tensor<1x1x4xf32>, tensor<1x4x4xf32>
}
