// RUN: opt-tool %s -p recover-operators | filecheck %s

// What is nearly one of the operators stays as it is: the twins of recover-operators.mlir.

// The second mean is over all axes, and of another product than the square.

// CHECK-LABEL: func.func @layer_norm
// CHECK-NOT:     Normalization
// CHECK:         func.return
func.func @layer_norm(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %row = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %all = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %epsilon = onnx.Constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
  %mean = onnx.ReduceMean(%x, %row) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %centred = onnx.Sub(%x, %mean) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %square = onnx.Mul(%x, %centred) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %variance = onnx.ReduceMean(%square, %all) : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<1x1xf32>
  %shifted = onnx.Add(%variance, %epsilon) : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  %root = onnx.Sqrt(%shifted) : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %y = onnx.Div(%centred, %root) : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// The mean is over the columns.

// CHECK-LABEL: func.func @rms_norm
// CHECK-NOT:     Normalization
// CHECK:         func.return
func.func @rms_norm(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %epsilon = onnx.Constant() {value = dense<1.0e-06> : tensor<f32>} : () -> tensor<f32>
  %square = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %mean = onnx.ReduceMean(%square, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %shifted = onnx.Add(%mean, %epsilon) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %root = onnx.Sqrt(%shifted) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %y = onnx.Div(%x, %root) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// The square root of three is not that of two.

// CHECK-LABEL: func.func @gelu
// CHECK-NOT:     onnx.Gelu
// CHECK:         func.return
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root = onnx.Constant() {value = dense<1.73205078> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Div(%x, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %erf = onnx.Erf(%z) : (tensor<8xf32>) -> tensor<8xf32>
  %shifted = onnx.Add(%erf, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %product = onnx.Mul(%x, %shifted) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Mul(%product, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// A square where a cube is due.

// CHECK-LABEL: func.func @gelu_by_tanh
// CHECK-NOT:     onnx.Gelu
// CHECK:         func.return
func.func @gelu_by_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %factor = onnx.Constant() {value = dense<0.044715> : tensor<f32>} : () -> tensor<f32>
  %width = onnx.Constant() {value = dense<0.797884583> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %square = onnx.Pow(%x, %two) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %term = onnx.Mul(%factor, %square) : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %sum = onnx.Add(%x, %term) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %bent = onnx.Mul(%sum, %width) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %tanh = onnx.Tanh(%bent) : (tensor<8xf32>) -> tensor<8xf32>
  %shifted = onnx.Add(%tanh, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %halved = onnx.Mul(%x, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %y = onnx.Mul(%halved, %shifted) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The numbers are integers: a hard-swish of floats is another function.

// CHECK-LABEL: func.func @hard_swish
// CHECK-NOT:     onnx.HardSwish
// CHECK:         func.return
func.func @hard_swish(%x: tensor<8xi32>) -> tensor<8xi32> {
  %zero = onnx.Constant() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %three = onnx.Constant() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %six = onnx.Constant() {value = dense<6> : tensor<i32>} : () -> tensor<i32>
  %shifted = onnx.Add(%x, %three) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %clipped = onnx.Clip(%shifted, %zero, %six) : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>
  %product = onnx.Mul(%x, %clipped) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %y = onnx.Div(%product, %six) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  func.return %y : tensor<8xi32>
}

// The sigmoid is used outside too.

// CHECK-LABEL: func.func @swish
// CHECK-NOT:     onnx.Swish
// CHECK:         func.return
func.func @swish(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %sigmoid = onnx.Sigmoid(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Mul(%x, %sigmoid) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y, %sigmoid : tensor<8xf32>, tensor<8xf32>
}

// The halves of the angles may differ.

// CHECK-LABEL: func.func @rotary
// CHECK-NOT:     onnx.RotaryEmbedding
// CHECK:         func.return
func.func @rotary(%x: tensor<1x2x3x4xf32>, %cos: tensor<1x1x3x4xf32>, %sin: tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %half = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %axis = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %first = onnx.Slice(%x, %zero, %half, %axis, %one) : (tensor<1x2x3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3x2xf32>
  %second = onnx.Slice(%x, %half, %end, %axis, %one) : (tensor<1x2x3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3x2xf32>
  %negative = onnx.Neg(%second) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %turned = onnx.Concat(%negative, %first) {axis = -1 : si64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %a = onnx.Mul(%x, %cos) : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %b = onnx.Mul(%turned, %sin) : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = onnx.Add(%a, %b) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// The softmax is along the queries.

// CHECK-LABEL: func.func @attention
// CHECK-NOT:     onnx.Attention
// CHECK:         func.return
func.func @attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x4x5xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32> {
  %scores = onnx.MatMul(%q, %k) : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  %shares = onnx.Softmax(%scores) {axis = 2 : si64} : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %y = onnx.MatMul(%shares, %v) : (tensor<1x2x3x5xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  func.return %y : tensor<1x2x3x6xf32>
}

// The softmax of each row of scores is over the keys of two heads.

// CHECK-LABEL: func.func @grouped
// CHECK-NOT:     onnx.Attention
// CHECK:         func.return
func.func @grouped(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x8x5xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %rows = onnx.Constant() {value = dense<[1, 2, 6, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %pairs = onnx.Constant() {value = dense<[1, 2, 3, 10]> : tensor<4xi64>} : () -> tensor<4xi64>
  %weights = onnx.Constant() {value = dense<[1, 2, 6, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %results = onnx.Constant() {value = dense<[1, 4, 3, 6]> : tensor<4xi64>} : () -> tensor<4xi64>
  %grouped = onnx.Reshape(%q, %rows) : (tensor<1x4x3x8xf32>, tensor<4xi64>) -> tensor<1x2x6x8xf32>
  %scores = onnx.MatMul(%grouped, %k) : (tensor<1x2x6x8xf32>, tensor<1x2x8x5xf32>) -> tensor<1x2x6x5xf32>
  %paired = onnx.Reshape(%scores, %pairs) : (tensor<1x2x6x5xf32>, tensor<4xi64>) -> tensor<1x2x3x10xf32>
  %shares = onnx.Softmax(%paired) : (tensor<1x2x3x10xf32>) -> tensor<1x2x3x10xf32>
  %shared = onnx.Reshape(%shares, %weights) : (tensor<1x2x3x10xf32>, tensor<4xi64>) -> tensor<1x2x6x5xf32>
  %sums = onnx.MatMul(%shared, %v) : (tensor<1x2x6x5xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x6x6xf32>
  %y = onnx.Reshape(%sums, %results) : (tensor<1x2x6x6xf32>, tensor<4xi64>) -> tensor<1x4x3x6xf32>
  func.return %y : tensor<1x4x3x6xf32>
}
