// RUN: opt-tool %s --mlir-print-debuginfo -p decompose-functions | filecheck %s

// An operator without a lowering of its own becomes what ONNX says it comes to; its name stays.

// CHECK-LABEL: func.func @mvn
// CHECK-NOT:     onnx.MeanVarianceNormalization
// CHECK:         onnx.ReduceMean({{.*}}) : {{.*}} loc("norm")
// CHECK:         onnx.Div({{.*}}) : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32> loc("norm")
func.func @mvn(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %y = onnx.MeanVarianceNormalization(%x) {axes = array<i64: 2, 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("norm")
  func.return %y : tensor<1x2x3x4xf32>
}

// Bodies are decomposed too, as far as they need to be: a softmax has a kernel.

// CHECK-LABEL: func.func @loss
// CHECK-NOT:     onnx.SoftmaxCrossEntropyLoss
// CHECK-NOT:     onnx.NegativeLogLikelihoodLoss
// CHECK:         onnx.LogSoftmax
func.func @loss(%x: tensor<3x5xf32>, %labels: tensor<3xi64>) -> tensor<f32> {
  %y = onnx.SoftmaxCrossEntropyLoss(%x, %labels) : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32> loc("loss")
  func.return %y : tensor<f32>
}
