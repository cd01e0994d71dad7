// RUN: opt-tool %s --mlir-print-debuginfo -p recover-operators | filecheck %s

// Each rule, and what it takes: constants once for all operators in it, the norm with scale and bias.

// CHECK-LABEL: func.func @layer_norm
// CHECK:         %y = onnx.LayerNormalization(%x, %g, %b) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32> loc(fused["mean", "centred", "square", "variance", "shifted", "root", "normed", "scaled", "biased"])
// CHECK-NEXT:    func.return %y
func.func @layer_norm(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %axes = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %epsilon = onnx.Constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
  %mean = onnx.ReduceMean(%x, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32> loc("mean")
  %centred = onnx.Sub(%x, %mean) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32> loc("centred")
  %square = onnx.Pow(%centred, %two) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32> loc("square")
  %variance = onnx.ReduceMean(%square, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32> loc("variance")
  %shifted = onnx.Add(%variance, %epsilon) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32> loc("shifted")
  %root = onnx.Sqrt(%shifted) : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("root")
  %normed = onnx.Div(%centred, %root) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32> loc("normed")
  %scaled = onnx.Mul(%normed, %g) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> loc("scaled")
  %y = onnx.Add(%scaled, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> loc("biased")
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK:         %y = onnx.RMSNormalization(%x, %g) {epsilon = 1.000000e-06 : f32} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:    func.return %y
func.func @rms_norm(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %epsilon = onnx.Constant() {value = dense<1.0e-06> : tensor<f32>} : () -> tensor<f32>
  %square = onnx.Mul(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %mean = onnx.ReduceMean(%square, %axes) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %shifted = onnx.Add(%mean, %epsilon) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root = onnx.Sqrt(%shifted) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %inverse = onnx.Reciprocal(%root) : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %normed = onnx.Mul(%x, %inverse) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %y = onnx.Mul(%g, %normed) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @gelu
// CHECK-NEXT:    %y = onnx.Gelu(%x) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    func.return %y
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root = onnx.Constant() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Div(%x, %root) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %erf = onnx.Erf(%z) : (tensor<8xf32>) -> tensor<8xf32>
  %shifted = onnx.Add(%erf, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %product = onnx.Mul(%x, %shifted) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Mul(%product, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @gelu_by_tanh
// CHECK-NEXT:    %y = onnx.Gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    func.return %y
func.func @gelu_by_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %three = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %factor = onnx.Constant() {value = dense<0.044715> : tensor<f32>} : () -> tensor<f32>
  %width = onnx.Constant() {value = dense<0.797884583> : tensor<f32>} : () -> tensor<f32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %cube = onnx.Pow(%x, %three) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %term = onnx.Mul(%factor, %cube) : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %sum = onnx.Add(%x, %term) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %bent = onnx.Mul(%sum, %width) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %tanh = onnx.Tanh(%bent) : (tensor<8xf32>) -> tensor<8xf32>
  %shifted = onnx.Add(%tanh, %one) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %halved = onnx.Mul(%x, %half) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %y = onnx.Mul(%halved, %shifted) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @hard_swish
// CHECK-NEXT:    %y = onnx.HardSwish(%x) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    func.return %y
func.func @hard_swish(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %three = onnx.Constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %six = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %shifted = onnx.Add(%x, %three) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %clipped = onnx.Clip(%shifted, %zero, %six) : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %product = onnx.Mul(%x, %clipped) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Div(%product, %six) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @swish
// CHECK-NEXT:    %y = onnx.Swish(%x) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    func.return %y
func.func @swish(%x: tensor<8xf32>) -> tensor<8xf32> {
  %sigmoid = onnx.Sigmoid(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Mul(%x, %sigmoid) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @rotary
// CHECK-COUNT-2: onnx.Reshape
// CHECK-NEXT:    %y = onnx.RotaryEmbedding(%x, {{.*}}) : (tensor<1x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x2x3x4xf32>
// CHECK-NEXT:    func.return %y
func.func @rotary(%x: tensor<1x2x3x4xf32>, %angle: tensor<1x1x3x2xf32>) -> tensor<1x2x3x4xf32> {
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %half = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %end = onnx.Constant() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %axis = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %angles = onnx.Concat(%angle, %angle) {axis = -1 : si64} : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x4xf32>
  %cos = onnx.Cos(%angles) : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %sin = onnx.Sin(%angles) : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %first = onnx.Slice(%x, %zero, %half, %axis, %one) : (tensor<1x2x3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3x2xf32>
  %second = onnx.Slice(%x, %half, %end, %axis, %one) : (tensor<1x2x3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3x2xf32>
  %negative = onnx.Neg(%second) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %turned = onnx.Concat(%negative, %first) {axis = -1 : si64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %a = onnx.Mul(%x, %cos) : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %b = onnx.Mul(%turned, %sin) : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = onnx.Add(%a, %b) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// The order in which the keys are transposed is taken apart from that of the operator.

// CHECK-LABEL: func.func @attention
// CHECK-NEXT:    %[[K:.*]] = onnx.Transpose(%k) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x5x2x4xf32>) -> tensor<1x2x5x4xf32>
// CHECK-NEXT:    %y = onnx.Attention(%q, %[[K]], %v, %mask) {scale = 5.000000e-01 : f32} : {{.*}} -> tensor<1x2x3x6xf32>
// CHECK-NEXT:    func.return %y
func.func @attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x5x2x4xf32>, %v: tensor<1x2x5x6xf32>, %mask: tensor<3x5xf32>) -> tensor<1x2x3x6xf32> {
  %two = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %turned = onnx.Transpose(%k) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x5x2x4xf32>) -> tensor<1x2x4x5xf32>
  %scores = onnx.MatMul(%q, %turned) : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  %scaled = onnx.Div(%scores, %two) : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<1x2x3x5xf32>
  %masked = onnx.Add(%scaled, %mask) : (tensor<1x2x3x5xf32>, tensor<3x5xf32>) -> tensor<1x2x3x5xf32>
  %shares = onnx.Softmax(%masked) : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %y = onnx.MatMul(%shares, %v) : (tensor<1x2x3x5xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  func.return %y : tensor<1x2x3x6xf32>
}

// Heads 0 and 1 share the first keys, 2 and 3 the second: the operator takes fewer heads of keys and values.

// CHECK-LABEL: func.func @grouped
// CHECK-NEXT:    %[[K:.*]] = onnx.Transpose(%k) {perm = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT:    %y = onnx.Attention(%q, %[[K]], %v) {scale = 5.000000e-01 : f32} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32>
// CHECK-NEXT:    func.return %y
func.func @grouped(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x8x5xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %half = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %rows = onnx.Constant() {value = dense<[1, 2, 6, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %heads = onnx.Constant() {value = dense<[1, 4, 3, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %weights = onnx.Constant() {value = dense<[1, 2, 6, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
  %results = onnx.Constant() {value = dense<[1, 4, 3, 6]> : tensor<4xi64>} : () -> tensor<4xi64>
  %grouped = onnx.Reshape(%q, %rows) : (tensor<1x4x3x8xf32>, tensor<4xi64>) -> tensor<1x2x6x8xf32>
  %scores = onnx.MatMul(%grouped, %k) : (tensor<1x2x6x8xf32>, tensor<1x2x8x5xf32>) -> tensor<1x2x6x5xf32>
  %scaled = onnx.Mul(%scores, %half) : (tensor<1x2x6x5xf32>, tensor<f32>) -> tensor<1x2x6x5xf32>
  %by_head = onnx.Reshape(%scaled, %heads) : (tensor<1x2x6x5xf32>, tensor<4xi64>) -> tensor<1x4x3x5xf32>
  %shares = onnx.Softmax(%by_head) : (tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %shared = onnx.Reshape(%shares, %weights) : (tensor<1x4x3x5xf32>, tensor<4xi64>) -> tensor<1x2x6x5xf32>
  %sums = onnx.MatMul(%shared, %v) : (tensor<1x2x6x5xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x6x6xf32>
  %y = onnx.Reshape(%sums, %results) : (tensor<1x2x6x6xf32>, tensor<4xi64>) -> tensor<1x4x3x6xf32>
  func.return %y : tensor<1x4x3x6xf32>
}
