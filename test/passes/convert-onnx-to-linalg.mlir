// RUN: opt-tool %s --mlir-print-debuginfo -p convert-onnx-to-linalg | filecheck %s

// Signs go from the types to the ops; each op keeps the place of its node.
// CHECK-LABEL: func.func @network(%x: tensor<1x1x2x2xi8> {onnx.name = "x", onnx.type = "ui8"}) -> (tensor<1x2x2x2xi8> {onnx.name = "y", onnx.type = "ui8"})
// CHECK:         %c = nn.conv ins(%x, %w : tensor<1x1x2x2xi8>, tensor<2x1x1x1xi8>)
// CHECK-SAME:    groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>} loc("first")
// CHECK:         linalg.generic
// CHECK-SAME:    ins(%c, %m : tensor<1x2x2x2xi32>, tensor<2xi8>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: i32, %[[M:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT:      %[[A:.*]] = arith.constant -1 : i32
// CHECK-NEXT:      %[[R:.*]] = quant.requantize %[[X]], %[[M]], %[[A]] shift 8 clip 0 to 255 in i32 : i32, i8, i32 -> i8
// CHECK-NEXT:      linalg.yield %[[R]] : i8
// CHECK-NEXT:    } -> tensor<1x2x2x2xi8> loc("second")
func.func @network(%x: tensor<1x1x2x2xui8> {onnx.name = "x", onnx.type = "ui8"}) -> (tensor<1x2x2x2xui8> {onnx.name = "y", onnx.type = "ui8"}) {
  %w = onnx.Constant() {value = dense<[[[[2]]], [[[-3]]]]> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
  %m = onnx.Constant() {value = dense<[3, 70]> : tensor<2xi8>} : () -> tensor<2xi8>
  %a = onnx.Constant() {value = dense<-1> : tensor<i8>} : () -> tensor<i8>
  %c = onnx.Conv(%x, %w) {range = array<i64: -765, 510>, accumulator = i32} : (tensor<1x1x2x2xui8>, tensor<2x1x1x1xi8>) -> tensor<1x2x2x2xi32> loc("first")
  %y = onnx.RequantShift(%c, %m, %a) {div = 256 : si64, n_levels = 256 : si64, signed = 0 : si64, range = array<i64: 0, 255>, accumulator = i32} : (tensor<1x2x2x2xi32>, tensor<2xi8>, tensor<i8>) -> tensor<1x2x2x2xui8> loc("second")
  func.return %y : tensor<1x2x2x2xui8>
}

// A selection by constant indices is slices, joined.
// CHECK-LABEL: func.func @shapes
// CHECK-DAG:     %[[S:.*]] = tensor.extract_slice %x[0, 2] [2, 1] [1, 1]
// CHECK-DAG:     %[[T:.*]] = tensor.extract_slice %x[0, 0] [2, 1] [1, 1]
// CHECK:         %g = tensor.concat dim(1) %[[S]], %[[T]]
// CHECK:         tensor.collapse_shape %x {{\[\[}}0 : i64, 1 : i64{{\]\]}}
// CHECK:         nn.reduce ins(%g : {{.*}}kind = "max", axes = array<i64: 1>, keep_dims, accumulator = i8
// CHECK-NOT:     onnx.
func.func @shapes(%x: tensor<2x3xi8>) -> (tensor<6xi8>, tensor<2x1xi8>) {
  %i = onnx.Constant() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s = onnx.Constant() {value = dense<6> : tensor<1xi64>} : () -> tensor<1xi64>
  %g = onnx.Gather(%x, %i) {axis = 1 : si64} : (tensor<2x3xi8>, tensor<2xi64>) -> tensor<2x2xi8>
  %o = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %r = onnx.Reshape(%x, %s) : (tensor<2x3xi8>, tensor<1xi64>) -> tensor<6xi8>
  %z = onnx.ReduceMax(%g, %o) {keepdims = 1 : si64} : (tensor<2x2xi8>, tensor<1xi64>) -> tensor<2x1xi8>
  func.return %r, %z : tensor<6xi8>, tensor<2x1xi8>
}

// What is at the tensor level already stays.
// CHECK-LABEL: func.func @lowered
// CHECK-NEXT:    %y = arith.addf %x, %x : tensor<4xf32>
// CHECK-NEXT:    func.return %y
func.func @lowered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// A constant bias of 16 bits has the type of the sums; another one is extended where it is added.
// CHECK-LABEL: func.func @bias
// CHECK:         arith.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x2xf32>, tensor<2xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %b : tensor<3x2xf32>, tensor<2xbf16>)
func.func @bias(%x: tensor<3x4xbf16>, %w: tensor<4x2xbf16>, %b: tensor<2xbf16>) -> (tensor<3x2xbf16>, tensor<3x2xbf16>) {
  %c = onnx.Constant() {value = dense<[1.5, -2.0]> : tensor<2xbf16>} : () -> tensor<2xbf16>
  %y = onnx.Gemm(%x, %w, %c) : (tensor<3x4xbf16>, tensor<4x2xbf16>, tensor<2xbf16>) -> tensor<3x2xbf16>
  %z = onnx.Gemm(%x, %w, %b) : (tensor<3x4xbf16>, tensor<4x2xbf16>, tensor<2xbf16>) -> tensor<3x2xbf16>
  func.return %y, %z : tensor<3x2xbf16>, tensor<3x2xbf16>
}

// A fold of single elements is a view of them.
// CHECK-LABEL: func.func @single
// CHECK-NOT:     nn.reduce
// CHECK:         tensor.collapse_shape %x {{\[\[}}0 : i64, 1 : i64{{\]\]}}
// CHECK-NOT:     nn.reduce
func.func @single(%x: tensor<3x1xf32>) -> (tensor<3xf32>) {
  %o = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = onnx.ReduceSum(%x, %o) {keepdims = 0 : si64} : (tensor<3x1xf32>, tensor<1xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// Without axes nothing is folded: each element alone, no accumulator.
// CHECK-LABEL: func.func @no_axes
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%x
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:      arith.addf %[[ZERO]], %[[S]]
func.func @no_axes(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %o = onnx.Constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %y = onnx.ReduceSumSquare(%x, %o) {noop_with_empty_axes = 1 : si64} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
