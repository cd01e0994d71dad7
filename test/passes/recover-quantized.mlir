// RUN: opt-tool %s --mlir-print-debuginfo -p recover-quantized | filecheck %s

// Each rule, and what becomes of the tensors around it.

// A bias of floats is rounded at the product of the scales; Relu is a limit at a zero point that is not the least
// integer.

// CHECK-LABEL: func.func @convolution
// CHECK-NOT:     Dequantize
// CHECK:         %[[bias:.*]] = onnx.Constant() {value = dense<[8, -8, 13]> : tensor<3xi32>}
// CHECK-NEXT:    %[[sums:.*]] = onnx.QLinearConv(%x, %{{.*}}, %[[bias]]) {pads = array<i64: 0, 0, 1, 1>} : {{.*}} -> tensor<1x3x5x5xui8> loc(fused["conv", "relu", "quantise"])
// CHECK:         %y = onnx.Clip(%[[sums]], %{{.*}}) : (tensor<1x3x5x5xui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x3x5x5xui8>
// CHECK-NEXT:    func.return %y
func.func @convolution(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x5x5xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %bias = onnx.Constant() {value = dense<[1.0, -0.5, 0.40625]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v, %bias) {pads = array<i64: 0, 0, 1, 1>} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32> loc("conv")
  %r = onnx.Relu(%c) : (tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32> loc("relu")
  %y = onnx.QuantizeLinear(%r, %t, %u) : (tensor<1x3x5x5xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x5x5xui8> loc("quantise")
  func.return %y : tensor<1x3x5x5xui8>
}

// Without a bias rows are multiplied as they are; with one, as pixels.

// CHECK-LABEL: func.func @rows
// CHECK:         %[[product:.*]] = onnx.QLinearMatMul(%x, {{.*}} -> tensor<2x3xui8>
// CHECK:         %[[turned:.*]] = onnx.Transpose({{.*}} -> tensor<1x3x2x1xui8>
// CHECK:         onnx.QLinearConv(%[[turned]], {{.*}} -> tensor<1x3x2x1xui8>
// CHECK-NOT:     f32>, tensor<{{.*}}f32>) -> tensor<2x3xf32>
func.func @rows(%x: tensor<2x4xui8>) -> tensor<2x3xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<4x3xi8>} : () -> tensor<4x3xi8>
  %ws = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %w2 = onnx.Constant() {value = dense<2> : tensor<3x3xi8>} : () -> tensor<3x3xi8>
  %b = onnx.Constant() {value = dense<[4, 5, 6]> : tensor<3xi32>} : () -> tensor<3xi32>
  %bs = onnx.Constant() {value = dense<0.125> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) : (tensor<4x3xi8>, tensor<f32>) -> tensor<4x3xf32>
  %c = onnx.MatMul(%a, %v) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %d = onnx.QuantizeLinear(%c, %s, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  %e = onnx.DequantizeLinear(%d, %s, %z) : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xf32>
  %v2 = onnx.DequantizeLinear(%w2, %ws) : (tensor<3x3xi8>, tensor<f32>) -> tensor<3x3xf32>
  %b2 = onnx.DequantizeLinear(%b, %bs) : (tensor<3xi32>, tensor<f32>) -> tensor<3xf32>
  %g = onnx.Gemm(%e, %v2, %b2) {transB = 1 : si64} : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %y = onnx.QuantizeLinear(%g, %t, %u) : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  func.return %y : tensor<2x3xui8>
}

// Scales that are to each other as powers of two: exact, halves to even.

// CHECK-LABEL: func.func @exact_sum
// CHECK-DAG:     %[[a:.*]] = onnx.Cast(%x) {to = 6 : si64}
// CHECK-DAG:     %[[b:.*]] = onnx.Cast(%x2) {to = 6 : si64}
// CHECK:         dense<4> : tensor<i32>
// CHECK:         %[[c:.*]] = onnx.Mul(%[[b]],
// CHECK-NEXT:    %[[sum:.*]] = onnx.Add(%[[a]], %[[c]])
// CHECK:         dense<-640> : tensor<i32>
// CHECK:         dense<2.000000e+00> : tensor<f32>
// CHECK:         %y = onnx.QuantizeLinear({{.*}}) : (tensor<8xi32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
func.func @exact_sum(%x: tensor<8xui8>, %x2: tensor<8xui8>) -> tensor<8xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %s2 = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %b = onnx.DequantizeLinear(%x2, %s2, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %c = onnx.Add(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  func.return %y : tensor<8xui8>
}

// Other scales: factors of many bits.

// CHECK-LABEL: func.func @difference
// CHECK:         dense<1398101> : tensor<i32>
// CHECK:         dense<-2097152> : tensor<i32>
// CHECK:         %y = onnx.RequantShift({{.*}}) {div = 2097152 : si64, n_levels = 256 : si64, signed = 0 : si64} : (tensor<8xi32>, tensor<i64>, tensor<i64>) -> tensor<8xui8>
func.func @difference(%x: tensor<8xui8>, %x2: tensor<8xui8>) -> tensor<8xui8> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %s2 = onnx.Constant() {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %b = onnx.DequantizeLinear(%x2, %s2, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %c = onnx.Sub(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.QuantizeLinear(%c, %s2, %z) : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  func.return %y : tensor<8xui8>
}

// A product, of a tensor that something else takes too.

// CHECK-LABEL: func.func @product
// CHECK:         %[[float:.*]] = onnx.DequantizeLinear(%x,
// CHECK:         %[[c:.*]] = onnx.Mul({{.*}}) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK:         onnx.QuantizeLinear(
// CHECK:         onnx.Softmax(%[[float]])
func.func @product(%x: tensor<8xui8>, %x2: tensor<8xui8>) -> tensor<8xf32> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %b = onnx.DequantizeLinear(%x2, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %c = onnx.Mul(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d = onnx.QuantizeLinear(%c, %t, %u) : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  %e = onnx.DequantizeLinear(%d, %t, %u) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %f = onnx.Softmax(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.Add(%e, %f) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// A softmax: powers of the distance to the greatest byte from a table, their sum, and a division.

// CHECK-LABEL: func.func @softmax
// CHECK:         onnx.ReduceMax
// CHECK-COUNT-2: onnx.Gather
// CHECK:         onnx.ReduceSum
// CHECK:         onnx.Div({{.*}}) : (tensor<2x8xi32>, tensor<2x1xi32>) -> tensor<2x8xi32>
// CHECK-NOT:     f32>{{$}}
func.func @softmax(%x: tensor<2x8xui8>) -> tensor<2x8xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
  %b = onnx.Softmax(%a) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = onnx.QuantizeLinear(%b, %t, %u) : (tensor<2x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x8xui8>
  func.return %y : tensor<2x8xui8>
}

// Means: of windows by a convolution with ones, of all by a sum.

// CHECK-LABEL: func.func @means
// CHECK:         dense<1> : tensor<2x1x2x2xi8>
// CHECK:         dense<2.500000e-01> : tensor<f32>
// CHECK:         %[[pool:.*]] = onnx.QLinearConv({{.*}}) {kernel_shape = array<i64: 2, 2>, group = 2 : si64}
// CHECK:         onnx.ReduceSum(%{{.*}}) : (tensor<1x2x3x3xi32>, tensor<2xi64>) -> tensor<1x2x1x1xi32>
// CHECK:         %y = onnx.RequantShift(
func.func @means(%x: tensor<1x2x4x4xui8>) -> tensor<1x2x1x1xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %b = onnx.AveragePool(%a) {kernel_shape = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  %c = onnx.QuantizeLinear(%b, %t, %u) : (tensor<1x2x3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x3x3xui8>
  %d = onnx.DequantizeLinear(%c, %t, %u) : (tensor<1x2x3x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x3x3xf32>
  %e = onnx.GlobalAveragePool(%d) : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
  %y = onnx.QuantizeLinear(%e, %t, %u) : (tensor<1x2x1x1xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x1x1xui8>
  func.return %y : tensor<1x2x1x1xui8>
}

// Functions of one number are looked up: of the first input also one of two operators. Of a concatenation only what
// has another scale is changed.

// CHECK-LABEL: func.func @functions
// CHECK:         %[[silu:.*]] = onnx.Gather(%{{.*}}) : (tensor<256xui8>, tensor<2xi32>) -> tensor<2xui8> loc(fused["sigmoid", "mul", "quantise"])
// CHECK:         %[[other:.*]] = onnx.Gather(
// CHECK-NEXT:    %y = onnx.Concat(%[[other]], %[[silu]]) {axis = 0 : si64} : (tensor<2xui8>, tensor<2xui8>) -> tensor<4xui8>
func.func @functions(%x: tensor<2xui8>, %x2: tensor<2xui8>) -> tensor<4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2xui8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  %b = onnx.Sigmoid(%a) : (tensor<2xf32>) -> tensor<2xf32> loc("sigmoid")
  %c = onnx.Mul(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("mul")
  %d = onnx.QuantizeLinear(%c, %t, %u) : (tensor<2xf32>, tensor<f32>, tensor<ui8>) -> tensor<2xui8> loc("quantise")
  %e = onnx.DequantizeLinear(%d, %t, %u) : (tensor<2xui8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  %f = onnx.DequantizeLinear(%x2, %s, %z) : (tensor<2xui8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  %g = onnx.Concat(%f, %e) {axis = 0 : si64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %y = onnx.QuantizeLinear(%g, %t, %u) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// What only moves numbers does it on the integers; padding is the zero point. A limit is one of integers, and what
// changes nothing is nothing.

// CHECK-LABEL: func.func @moves
// CHECK:         %[[turned:.*]] = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK:         %[[zero:.*]] = onnx.Constant() {value = dense<128> : tensor<ui8>}
// CHECK-NEXT:    %[[padded:.*]] = onnx.Pad(%[[turned]], %pads, %[[zero]]) : (tensor<3x2xui8>, tensor<4xi64>, tensor<ui8>) -> tensor<3x3xui8>
// CHECK:         %y = onnx.Clip(%[[padded]],
// CHECK-NEXT:    func.return %y
func.func @moves(%x: tensor<2x3xui8>) -> tensor<3x3xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %pads = onnx.Constant() {value = dense<[0, 0, 0, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x3xf32>
  %b = onnx.Transpose(%a) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %c = onnx.Pad(%b, %pads) : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<3x3xf32>
  %d = onnx.QuantizeLinear(%c, %s, %z) : (tensor<3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x3xui8>
  %e = onnx.DequantizeLinear(%d, %s, %z) : (tensor<3x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<3x3xf32>
  %f = onnx.Relu(%e) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %y = onnx.QuantizeLinear(%f, %s, %z) : (tensor<3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x3xui8>
  func.return %y : tensor<3x3xui8>
}

// What nothing used before stays.

// CHECK-LABEL: func.func @unused
// CHECK:         onnx.DequantizeLinear(%x,
// CHECK-NEXT:    onnx.Tanh(
// CHECK-NEXT:    func.return %x
func.func @unused(%x: tensor<4xui8>) -> tensor<4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  %b = onnx.Tanh(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %y = onnx.QuantizeLinear(%a, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// Integers of 4 bits are bytes around the operator, which between two of them stay what they are. Weights of floats
// that are quantised are constants.

// CHECK-LABEL: func.func @four_bits
// CHECK:         %[[wide:.*]] = onnx.Cast(%x) {to = 2 : si64} : (tensor<2x4xui4>) -> tensor<2x4xui8>
// CHECK:         dense<-8> : tensor<4x4xi8>
// CHECK:         %[[sums:.*]] = onnx.QLinearMatMul(%[[wide]],
// CHECK:         dense<15> : tensor<ui8>
// CHECK-NEXT:    %[[limited:.*]] = onnx.Clip(%[[sums]],
// CHECK-NOT:     onnx.Cast
// CHECK:         onnx.QLinearMatMul(%[[limited]],
// CHECK:         %y = onnx.Cast({{.*}}) {to = 21 : si64} : (tensor<2x4xui8>) -> tensor<2x4xui4>
func.func @four_bits(%x: tensor<2x4xui4>) -> tensor<2x4xui4> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<8> : tensor<ui4>} : () -> tensor<ui4>
  %floats = onnx.Constant() {value = dense<-9.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %one = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %none = onnx.Constant() {value = dense<0> : tensor<i4>} : () -> tensor<i4>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x4xui4>, tensor<f32>, tensor<ui4>) -> tensor<2x4xf32>
  %w = onnx.QuantizeLinear(%floats, %one, %none) : (tensor<4x4xf32>, tensor<f32>, tensor<i4>) -> tensor<4x4xi4>
  %v = onnx.DequantizeLinear(%w, %one, %none) : (tensor<4x4xi4>, tensor<f32>, tensor<i4>) -> tensor<4x4xf32>
  %b = onnx.MatMul(%a, %v) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %c = onnx.QuantizeLinear(%b, %s, %z) : (tensor<2x4xf32>, tensor<f32>, tensor<ui4>) -> tensor<2x4xui4>
  %d = onnx.DequantizeLinear(%c, %s, %z) : (tensor<2x4xui4>, tensor<f32>, tensor<ui4>) -> tensor<2x4xf32>
  %e = onnx.MatMul(%d, %v) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = onnx.QuantizeLinear(%e, %s, %z) : (tensor<2x4xf32>, tensor<f32>, tensor<ui4>) -> tensor<2x4xui4>
  func.return %y : tensor<2x4xui4>
}

// Two consumers that quantise a result alike.

// CHECK-LABEL: func.func @quantised_twice
// CHECK:         %[[C:.*]] = onnx.QLinearConv
// CHECK-NOT:     onnx.Conv
// CHECK:         onnx.Transpose(%[[C]])
// CHECK:         func.return
func.func @quantised_twice(%x: tensor<1x2x4x4xui8>) -> (tensor<1x3x4x4xui8>, tensor<3x1x4x4xui8>) {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %s) : (tensor<3x2x1x1xi8>, tensor<f32>) -> tensor<3x2x1x1xf32>
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %p = onnx.QuantizeLinear(%c, %t, %z) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  %q = onnx.QuantizeLinear(%c, %u, %z) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  %d = onnx.DequantizeLinear(%q, %u, %z) : (tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xf32>
  %r = onnx.Transpose(%d) {perm = array<i64: 1, 0, 2, 3>} : (tensor<1x3x4x4xf32>) -> tensor<3x1x4x4xf32>
  %e = onnx.QuantizeLinear(%r, %u, %z) : (tensor<3x1x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x1x4x4xui8>
  func.return %p, %e : tensor<1x3x4x4xui8>, tensor<3x1x4x4xui8>
}

// Windows at the border have fewer elements: sums of all, a factor of each output, and a shift.

// CHECK-LABEL: func.func @means_of_fewer
// CHECK:         onnx.ConvInteger
// CHECK:         onnx.Mul({{.*}}) : (tensor<1x2x5x5xi32>, tensor<1x1x5x5xi32>) -> tensor<1x2x5x5xi32>
// CHECK:         onnx.RequantShift
func.func @means_of_fewer(%x: tensor<1x2x4x4xui8>) -> tensor<1x2x5x5xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %b = onnx.AveragePool(%a) {kernel_shape = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x5x5xf32>
  %y = onnx.QuantizeLinear(%b, %t, %u) : (tensor<1x2x5x5xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x5x5xui8>
  func.return %y : tensor<1x2x5x5xui8>
}
