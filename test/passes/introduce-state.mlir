// RUN: opt-tool %s -p introduce-state{context=8} --split-input-file | filecheck %s

// A cache with a mask: the past and the present are gone, the mask has the rows of the state, and the softmax is told
// which of them count. The product with the values needs no mask, as the shares of the other rows are 0.
// CHECK:       ml_program.global private mutable @past_k(dense<0.000000e+00> : tensor<1x2x8x4xf32>) : tensor<1x2x8x4xf32>
// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %q: tensor<1x2x1x4xf32>, %k: tensor<1x2x1x4xf32>, %m: tensor<8xf32> {onnx.name = "mask"}, %position: tensor<1xi32> {onnx.name = "position", tilewright.state = array<i64: 1, 8>, tilewright.range = array<i64: 0, 7>}) -> (tensor<1x2x1x4xf32>)
// CHECK:         %[[LENGTH:.*]] = onnx.Add(%position, %{{.*}}) : (tensor<1xi32>, tensor<1xi32>)
// CHECK:         %valid = onnx.Less(%{{.*}}, %[[LENGTH]]) : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi1>
// CHECK-NEXT:    %[[OLD:.*]] = ml_program.global_load @past_k : tensor<1x2x8x4xf32>
// CHECK-NEXT:    %present = onnx.TensorScatter(%[[OLD]], %k, %position) {axis = 2 : si64} : (tensor<1x2x8x4xf32>, tensor<1x2x1x4xf32>, tensor<1xi32>) -> tensor<1x2x8x4xf32>
// CHECK-NEXT:    ml_program.global_store @past_k = %present : tensor<1x2x8x4xf32>
// CHECK-NEXT:    %t = onnx.Transpose(%present) {perm = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT:    %s = onnx.MatMul(%q, %t) : (tensor<1x2x1x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x1x8xf32>
// CHECK-NEXT:    %a = onnx.Add(%s, %m) : (tensor<1x2x1x8xf32>, tensor<8xf32>) -> tensor<1x2x1x8xf32>
// CHECK-NEXT:    %p = onnx.iSoftmax(%a, %valid)
// CHECK-NEXT:    %y = onnx.MatMul(%p, %present)
// CHECK-NEXT:    func.return %y : tensor<1x2x1x4xf32>
func.func @network(%q: tensor<1x2x1x4xf32>, %past: tensor<1x2x3x4xf32> {onnx.name = "past_k"}, %k: tensor<1x2x1x4xf32>, %m: tensor<4xf32> {onnx.name = "mask"}) -> (tensor<1x2x1x4xf32>, tensor<1x2x4x4xf32>) {
  %present = onnx.Concat(%past, %k) {axis = 2 : si64} : (tensor<1x2x3x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x4x4xf32>
  %t = onnx.Transpose(%present) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x2x1x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x1x4xf32>
  %a = onnx.Add(%s, %m) : (tensor<1x2x1x4xf32>, tensor<4xf32>) -> tensor<1x2x1x4xf32>
  %p = onnx.iSoftmax(%a) {coeffA = 1 : si64, coeffB = 43 : si64, coeffC = 983 : si64, log2 = 22 : si64} : (tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %y = onnx.MatMul(%p, %present) : (tensor<1x2x1x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x1x4xf32>
  func.return %y, %present : tensor<1x2x1x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// Rows on axis 0 get an axis before them, for TensorScatter takes the first one for a batch. The past comes in another
// shape than it is joined in. A sum of floats gets zeros, an extreme a row that counts; the position is the model's own.
// CHECK:       ml_program.global private mutable @arg0(dense<0.000000e+00> : tensor<1x8x4xf32>) : tensor<1x8x4xf32>
// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %x: tensor<1x4xf32>, %p: tensor<i64> {onnx.name = "position", tilewright.state = array<i64: 1, 8>, tilewright.range = array<i64: 0, 7>}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         %[[ROWS:.*]] = onnx.Reshape(%x, %{{.*}}) : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<1x1x4xf32>
// CHECK:         %[[NEW:.*]] = onnx.TensorScatter(%{{.*}}, %[[ROWS]], %{{.*}}) {axis = 1 : si64}
// CHECK:         %c = onnx.Reshape(%[[NEW]], %{{.*}}) : (tensor<1x8x4xf32>, tensor<2xi64>) -> tensor<8x4xf32>
// CHECK:         %[[SUMMED:.*]] = onnx.Where(%{{.*}}, %c, %{{.*}}) : (tensor<8x1xi1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %s = onnx.ReduceSum(%[[SUMMED]], %axes)
// CHECK:         %[[FIRST:.*]] = onnx.Slice(%c, {{.*}} -> tensor<1x4xf32>
// CHECK-NEXT:    %[[MET:.*]] = onnx.Where(%{{.*}}, %c, %[[FIRST]])
// CHECK-NEXT:    %l = onnx.ReduceMax(%[[MET]], %axes)
func.func @network(%past: tensor<1x2x4xf32>, %x: tensor<1x4xf32>, %p: tensor<i64> {onnx.name = "position"}) -> (tensor<4xf32>, tensor<1x3x4xf32>, tensor<4xf32>) {
  %flat = onnx.Constant() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %deep = onnx.Constant() {value = dense<[1, 3, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %old = onnx.Reshape(%past, %flat) : (tensor<1x2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %c = onnx.Concat(%old, %x) {axis = 0 : si64} : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %present = onnx.Reshape(%c, %deep) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<1x3x4xf32>
  %s = onnx.ReduceSum(%c, %axes) {keepdims = 0 : si64} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<4xf32>
  %l = onnx.ReduceMax(%c, %axes) {keepdims = 0 : si64} : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<4xf32>
  func.return %s, %present, %l : tensor<4xf32>, tensor<1x3x4xf32>, tensor<4xf32>
}

// -----

// Constants that count or are alike along the rows go on, those that are shapes are told anew.
// CHECK-LABEL: func.func @network(
// CHECK:         %steps = onnx.Constant() {value = {{.*}}0], [2], [4], [6], [8], [10], [12], [14]]]> : tensor<1x8x1xi64>}
// CHECK:         %[[FLAT:.*]] = onnx.Constant() {value = dense<[8, 2]> : tensor<2xi64>}
// CHECK-NEXT:    %f = onnx.Reshape(%a, %[[FLAT]])
// CHECK-NEXT:    %[[DEEP:.*]] = onnx.Constant() {value = dense<[1, 8, 2]> : tensor<3xi64>}
// CHECK-NEXT:    %d = onnx.Reshape(%f, %[[DEEP]]) : (tensor<8x2xi64>, tensor<3xi64>) -> tensor<1x8x2xi64>
func.func @network(%past: tensor<1x2x2xi64>, %x: tensor<1x1x2xi64>) -> (tensor<1x2xi64>, tensor<1x3x2xi64>) {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %steps = onnx.Constant() {value = dense<[[[0], [2], [4]]]> : tensor<1x3x1xi64>} : () -> tensor<1x3x1xi64>
  %flat = onnx.Constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %deep = onnx.Constant() {value = dense<[1, 3, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %c = onnx.Concat(%past, %x) {axis = 1 : si64} : (tensor<1x2x2xi64>, tensor<1x1x2xi64>) -> tensor<1x3x2xi64>
  %a = onnx.Add(%c, %steps) : (tensor<1x3x2xi64>, tensor<1x3x1xi64>) -> tensor<1x3x2xi64>
  %f = onnx.Reshape(%a, %flat) : (tensor<1x3x2xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  %d = onnx.Reshape(%f, %deep) : (tensor<3x2xi64>, tensor<3xi64>) -> tensor<1x3x2xi64>
  %s = onnx.ReduceSum(%d, %axes) {keepdims = 0 : si64} : (tensor<1x3x2xi64>, tensor<1xi64>) -> tensor<1x2xi64>
  func.return %s, %c : tensor<1x2xi64>, tensor<1x3x2xi64>
}
