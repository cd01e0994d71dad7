// RUN: opt-tool %s -p recover-quantized | filecheck %s

// What stays in floats: the twins of recover-quantized.mlir. A product with floats behind it has integer sums.

// Integers of 16 bits.

// CHECK-LABEL: func.func @words
// CHECK-NOT:     QLinear
// CHECK:         onnx.Conv({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @words(%x: tensor<1x2x4x4xi16>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %z16 = onnx.Constant() {value = dense<0> : tensor<i16>} : () -> tensor<i16>
  %a = onnx.DequantizeLinear(%x, %s, %z16) : (tensor<1x2x4x4xi16>, tensor<f32>, tensor<i16>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// Scales of the channels of what is no weight.

// CHECK-LABEL: func.func @scales_of_channels
// CHECK-NOT:     QLinear
// CHECK:         onnx.Conv({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @scales_of_channels(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %s = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = onnx.Constant() {value = dense<128> : tensor<2xui8>} : () -> tensor<2xui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A scale that is computed.

// CHECK-LABEL: func.func @computed_scale
// CHECK-NOT:     QLinear
// CHECK:         onnx.Conv({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @computed_scale(%x: tensor<1x2x4x4xui8>, %s: tensor<f32>) -> tensor<1x3x4x4xui8> {
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A bias that is computed.

// CHECK-LABEL: func.func @computed_bias
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @computed_bias(%x: tensor<1x2x4x4xui8>, %b: tensor<3xf32>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v, %b) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A bias that 32 bits do not hold.

// CHECK-LABEL: func.func @large_bias
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @large_bias(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = onnx.Constant() {value = dense<1.0e+09> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v, %b) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A bias the rounding of which is more than half a step of the result.

// CHECK-LABEL: func.func @coarse_bias
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @coarse_bias(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.01> : tensor<f32>} : () -> tensor<f32>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = onnx.Constant() {value = dense<[0.06, 0.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v, %b) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// Weights that are scaled along the axis that is summed.

// CHECK-LABEL: func.func @scales_of_rows
// CHECK-NOT:     QLinear
// CHECK:         onnx.MatMul({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @scales_of_rows(%x: tensor<2x4xui8>) -> tensor<2x3xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<4x3xi8>} : () -> tensor<4x3xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.5, 0.25]> : tensor<4xf32>} : () -> tensor<4xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<4x3xi8>, tensor<4xf32>) -> tensor<4x3xf32>
  %c = onnx.MatMul(%a, %v) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %y = onnx.QuantizeLinear(%c, %t, %u) : (tensor<2x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x3xui8>
  func.return %y : tensor<2x3xui8>
}

// A result that something else takes as floats.

// CHECK-LABEL: func.func @result_of_two
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @result_of_two(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %d = onnx.QuantizeLinear(%c, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  %e = onnx.DequantizeLinear(%d, %t, %u) : (tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xf32>
  %f = onnx.Add(%e, %c) : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%f, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A function that is no limit, of sums.

// CHECK-LABEL: func.func @function_of_sums
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @function_of_sums(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %d = onnx.Sigmoid(%c) : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%d, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// A limit that is computed.

// CHECK-LABEL: func.func @computed_limit
// CHECK-NOT:     QLinear
// CHECK:         onnx.ConvInteger({{.*}}) {{.*}}i32>{{$}}
// CHECK:         onnx.DequantizeLinear({{.*}}i32>, {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @computed_limit(%x: tensor<1x2x4x4xui8>, %low: tensor<f32>) -> tensor<1x3x4x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %w = onnx.Constant() {value = dense<3> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
  %ws = onnx.Constant() {value = dense<[0.5, 0.25, 0.125]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %v = onnx.DequantizeLinear(%w, %ws) {axis = 0 : si64} : (tensor<3x2x1x1xi8>, tensor<3xf32>) -> tensor<3x2x1x1xf32> loc("v")
  %c = onnx.Conv(%a, %v) : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %d = onnx.Clip(%c, %low) : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  %y = onnx.QuantizeLinear(%d, %t, %u) : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xui8>
  func.return %y : tensor<1x3x4x4xui8>
}

// Padding that no integer stands for.

// CHECK-LABEL: func.func @padding_between
// CHECK-NOT:     QLinear
// CHECK:         onnx.Pad({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @padding_between(%x: tensor<2xui8>) -> tensor<3xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %pads = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %p = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2xui8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  %b = onnx.Pad(%a, %pads, %p) : (tensor<2xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3xf32>
  %y = onnx.QuantizeLinear(%b, %s, %z) : (tensor<3xf32>, tensor<f32>, tensor<ui8>) -> tensor<3xui8>
  func.return %y : tensor<3xui8>
}

// Of two tensors one is of floats.

// CHECK-LABEL: func.func @one_of_floats
// CHECK-NOT:     QLinear
// CHECK:         onnx.Add({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @one_of_floats(%x: tensor<8xui8>, %f: tensor<8xf32>) -> tensor<8xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %b = onnx.Add(%a, %f) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.QuantizeLinear(%b, %t, %u) : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  func.return %y : tensor<8xui8>
}

// A softmax in steps so fine that no integers of 32 bits hold its powers.

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     QLinear
// CHECK:         onnx.Softmax({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     QLinear
// CHECK:         func.return
func.func @softmax(%x: tensor<8xui8>) -> tensor<8xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %t = onnx.Constant() {value = dense<1.0e-9> : tensor<f32>} : () -> tensor<f32>
  %u = onnx.Constant() {value = dense<10> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %b = onnx.Softmax(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %y = onnx.QuantizeLinear(%b, %t, %u) : (tensor<8xf32>, tensor<f32>, tensor<ui8>) -> tensor<8xui8>
  func.return %y : tensor<8xui8>
}

// A mean over no axes.

// CHECK-LABEL: func.func @mean_of_itself
// CHECK:         onnx.ReduceMean({{.*}}) {{.*}}f32>{{$}}
// CHECK-NOT:     ReduceSum
// CHECK:         func.return
func.func @mean_of_itself(%x: tensor<2x4xui8>) -> tensor<2x4xui8> {
  %s = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %a = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xf32>
  %b = onnx.ReduceMean(%a) {noop_with_empty_axes = 1 : si64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = onnx.QuantizeLinear(%b, %s, %z) : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  func.return %y : tensor<2x4xui8>
}
