// RUN: opt-tool %s -p infer-integer-types | filecheck %s

// Weights and results get the smallest types that hold them.
// CHECK-LABEL: func.func @network(%x: tensor<1x1x2x2xui8> {onnx.name = "x", onnx.type = "ui8"}) -> (tensor<1x2x2x2xui8> {onnx.name = "y", onnx.type = "ui8"})
// CHECK:         %w = onnx.Constant() {value = dense<[[[[2]]], [[[-3]]]]> : tensor<2x1x1x1xi8>}
// CHECK-NEXT:    %m = onnx.Constant() {value = dense<[3, 70000]> : tensor<2xi32>}
// CHECK-NEXT:    %a = onnx.Constant() {value = dense<-1> : tensor<i8>}
// CHECK-NEXT:    %c = onnx.Conv(%x, %w) {range = array<i64: -765, 510>, accumulator = i32} : (tensor<1x1x2x2xui8>, tensor<2x1x1x1xi8>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT:    %y = onnx.RequantShift(%c, %m, %a) {{.*}}range = array<i64: 0, 255>, accumulator = i32} : {{.*}} -> tensor<1x2x2x2xui8>
func.func @network(%x: tensor<1x1x2x2xf32> {onnx.name = "x", onnx.type = "ui8"}) -> (tensor<1x2x2x2xf32> {onnx.name = "y"}) {
  %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[-3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
  %m = onnx.Constant() {value = dense<[3.0, 70000.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %a = onnx.Constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %c = onnx.Conv(%x, %w) : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  %y = onnx.RequantShift(%c, %m, %a) {div = 256 : si64, n_levels = 256 : si64, signed = 0 : si64} : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}

// An input that must be an integer is any that f32 holds; what is no integer op gets floats.
// CHECK-LABEL: func.func @undeclared(%x: tensor<4xi32> {onnx.type = "i32"}) -> (tensor<4xf32>
// CHECK:         %y = onnx.iHardswish(%x) {{.*}}range = array<i64: -100663296, 100663296>
// CHECK-NEXT:    %[[F:.*]] = onnx.Cast(%y) {to = 1 : si64} : (tensor<4xi32>) -> tensor<4xf32>
// CHECK-NEXT:    onnx.Exp(%[[F]])
func.func @undeclared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.iHardswish(%x) {three = 3 : si64, six = 6 : si64, one_over_six = 1 : si64} : (tensor<4xf32>) -> tensor<4xf32>
  %z = onnx.Exp(%y) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// Tensors of integer types compute in their own type, as ONNX has it.
// CHECK-LABEL: func.func @wraps
// CHECK:         onnx.Add(%x, %x) {wraps, range = array<i64: -128, 127>, accumulator = i32}
func.func @wraps(%x: tensor<4xi8>) -> tensor<4xi8> {
  %y = onnx.Add(%x, %x) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// One bound, and bounds beyond the operand's range.
// CHECK-LABEL: func.func @clip
// CHECK:         %y = onnx.Clip(%x, none, %h) {range = array<i64: -32768, 300>, accumulator = i32} : (tensor<4xi16>, tensor<i16>) -> tensor<4xi16>
// CHECK-NEXT:    %r = onnx.Relu(%y) {range = array<i64: 0, 300>, accumulator = i32}
// CHECK-NEXT:    %z = onnx.Clip(%r, %l, %l) {range = array<i64: -100, -100>, accumulator = i32} : (tensor<4xi16>, tensor<i8>, tensor<i8>) -> tensor<4xi8>
func.func @clip(%x: tensor<4xf32> {onnx.type = "i16"}) -> tensor<4xf32> {
  %h = onnx.Constant() {value = dense<300.0> : tensor<f32>} : () -> tensor<f32>
  %l = onnx.Constant() {value = dense<-100.0> : tensor<f32>} : () -> tensor<f32>
  %y = onnx.Clip(%x, none, %h) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = onnx.Relu(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %z = onnx.Clip(%r, %l, %l) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  func.return %z : tensor<4xf32>
}

// Operands of several types are brought to one that holds them all.
// CHECK-LABEL: func.func @concat(%x: tensor<2xi8> {onnx.type = "i8"}, %y: tensor<2xui8> {onnx.type = "ui4"})
// CHECK-DAG:     %[[X:.*]] = onnx.Cast(%x) {to = 5 : si64} : (tensor<2xi8>) -> tensor<2xi16>
// CHECK-DAG:     %[[Y:.*]] = onnx.Cast(%y) {to = 5 : si64} : (tensor<2xui8>) -> tensor<2xi16>
// CHECK:         onnx.Concat(%[[X]], %k, %[[Y]]) {axis = 0 : si64, range = array<i64: -128, 200>
func.func @concat(%x: tensor<2xf32> {onnx.type = "i8"}, %y: tensor<2xf32> {onnx.type = "ui4"}) -> tensor<6xf32> {
  %k = onnx.Constant() {value = dense<[200.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c = onnx.Concat(%x, %k, %y) {axis = 0 : si64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  func.return %c : tensor<6xf32>
}

// Floats stay.
// CHECK-LABEL: func.func @floats(%x: tensor<4xf32>)
// CHECK-NEXT:    %y = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
func.func @floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// What a quantised operator gives is converted to the type that the model declares.
// CHECK-LABEL: func.func @declared
// CHECK:         %y = onnx.RequantShift(%x, %m, %m) {{.*}}range = array<i64: 0, 255>{{.*}} -> tensor<1x4xui8>
// CHECK-NEXT:    %[[B:.*]] = onnx.Cast(%y) {to = 3 : si64} : (tensor<1x4xui8>) -> tensor<1x4xi8>
// CHECK-NEXT:    func.return %[[B]]
func.func @declared(%x: tensor<1x4xi8>) -> tensor<1x4xi8> {
  %m = onnx.Constant() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y = onnx.RequantShift(%x, %m, %m) {div = 2 : si64, n_levels = 256 : si64, signed = 0 : si64} : (tensor<1x4xi8>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
  func.return %y : tensor<1x4xi8>
}

// Arguments and results that are no tensors stay as they are.
// CHECK-LABEL: func.func @scalars(%x: tensor<4xi8> {onnx.type = "i8"}, %n: i32, %i: index, %m: memref<4xi8>) -> (tensor<4xi8> {onnx.type = "i8"}, i32)
// CHECK-NEXT:    %y = onnx.Relu(%x) {range = array<i64: 0, 127>, accumulator = i32} : (tensor<4xi8>) -> tensor<4xi8>
// CHECK-NEXT:    func.return %y, %n : tensor<4xi8>, i32
func.func @scalars(%x: tensor<4xf32> {onnx.type = "i8"}, %n: i32, %i: index, %m: memref<4xi8>) -> (tensor<4xf32>, i32) {
  %y = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y, %n : tensor<4xf32>, i32
}

// CHECK-LABEL: func.func @scalar(%n: i32) -> (i32)
func.func @scalar(%n: i32) -> i32 {
  func.return %n : i32
}

// A conversion to a narrower type stays before a quantised product.
// CHECK-LABEL: @narrowed
// CHECK: onnx.Cast({{.*}}) -> tensor<2x4xi8>
// CHECK-NEXT: onnx.QLinearMatMul({{.*}}(tensor<2x4xi8>
func.func @narrowed(%x: tensor<2x4xi32>) -> tensor<2x3xi8> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %w = onnx.Constant() {value = dense<2> : tensor<4x3xi8>} : () -> tensor<4x3xi8>
  %c = onnx.Cast(%x) {to = 3 : si64} : (tensor<2x4xi32>) -> tensor<2x4xi8>
  %y = onnx.QLinearMatMul(%c, %s, %z, %w, %s, %z, %s, %z) : (tensor<2x4xi8>, tensor<f32>, tensor<i8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<2x3xi8>
  func.return %y : tensor<2x3xi8>
}
