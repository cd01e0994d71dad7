// RUN: opt-tool %s -p canonicalize | filecheck %s

// Conversions there and back, neutral elements and clips that do not bind go; so does what then only copies.

// CHECK-LABEL: func.func @body
// CHECK:         %r = linalg.transpose ins(%x : tensor<2x4xi8>)
func.func @body(%x: tensor<2x4xi8>) -> tensor<4x2xi8> {
  %e = tensor.empty() : tensor<2x4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x4xi8>) outs(%e : tensor<2x4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %w = arith.extsi %a : i8 to i32
    %n = arith.trunci %w : i32 to i8
    %z = arith.constant 0 : i8
    %o = arith.constant 1 : i8
    %l = arith.constant -128 : i8
    %s = arith.addi %n, %z : i8
    %m = arith.muli %o, %s : i8
    %c = arith.maxsi %m, %l : i8
    linalg.yield %c : i8
  } -> tensor<2x4xi8>
  %t = tensor.empty() : tensor<4x2xi8>
  %r = linalg.transpose ins(%y : tensor<2x4xi8>) outs(%t : tensor<4x2xi8>) permutation = [1, 0]
  func.return %r : tensor<4x2xi8>
}

// A quotient by one goes; the copy of an argument to a result stays a kernel, which has tiles as others.

// CHECK-LABEL: func.func @copy
// CHECK:         %y = linalg.generic
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %a : f32
// CHECK:         %s = tensor.expand_shape %y
// CHECK-NEXT:    func.return %s
func.func @copy(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %a, %one : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %s = tensor.expand_shape %y [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  func.return %s : tensor<2x2xf32>
}

// A requantisation by one whose clip does not bind goes, any other stays.

// CHECK-LABEL: func.func @requantise
// CHECK:         %y = linalg.generic
// CHECK:           %[[ONCE:.*]] = quant.requantize %{{.*}}, %{{.*}}, %{{.*}} shift 0 clip 0 to 127
// CHECK-NEXT:      linalg.yield %[[ONCE]]
func.func @requantise(%x: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %m = arith.constant 16 : i32
    %z = arith.constant 0 : i32
    %p = quant.requantize %a, %m, %z shift 4 clip -128 to 255 in i32 : i8, i32, i32 -> i8
    %q = quant.requantize %p, %m, %z shift 4 clip 0 to 127 in i32 : i8, i32, i32 -> i8
    linalg.yield %q : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// CHECK-LABEL: func.func @epilogue
// CHECK-NEXT:    %e = tensor.empty
// CHECK-NEXT:    %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%e : tensor<2x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
// CHECK-NEXT:    func.return %r
func.func @epilogue(%x: tensor<2x8xi8>) -> tensor<2x8xi8> {
  %e = tensor.empty() : tensor<2x8xi8>
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%e : tensor<2x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8} epilogue() at [] {
  ^bb0(%a: i8):
    %z = arith.constant 0 : i8
    %s = arith.addi %a, %z : i8
    linalg.yield %s : i8
  }
  func.return %r : tensor<2x8xi8>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-NEXT:    %[[R:.*]] = tensor.expand_shape %x {{.*}} : tensor<24xi8> into tensor<2x3x4xi8>
// CHECK-NEXT:    func.return %x, %[[R]]
func.func @reshapes(%x: tensor<24xi8>) -> (tensor<24xi8>, tensor<2x3x4xi8>) {
  %a = tensor.expand_shape %x [[0, 1]] output_shape [6, 4] : tensor<24xi8> into tensor<6x4xi8>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<6x4xi8> into tensor<24xi8>
  %c = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xi8> into tensor<2x3x4xi8>
  func.return %b, %c : tensor<24xi8>, tensor<2x3x4xi8>
}

// Two transposes are one, which here moves nothing; one that moves an axis of extent 1 is a reshape; a real one stays.

// CHECK-LABEL: func.func @transposes
// CHECK-NOT:     linalg.transpose ins(%x
// CHECK:         %[[C:.*]] = tensor.collapse_shape %y
// CHECK-NEXT:    %[[V:.*]] = tensor.expand_shape %[[C]]
// CHECK:         %r = linalg.transpose ins(%z
// CHECK-NEXT:    func.return %x, %[[V]], %r
func.func @transposes(%x: tensor<2x3xi8>, %y: tensor<1x2x3xi8>, %z: tensor<2x3xi8>) -> (tensor<2x3xi8>, tensor<2x1x3xi8>, tensor<3x2xi8>) {
  %e = tensor.empty() : tensor<3x2xi8>
  %f = tensor.empty() : tensor<2x3xi8>
  %g = tensor.empty() : tensor<2x1x3xi8>
  %a = linalg.transpose ins(%x : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) permutation = [1, 0]
  %b = linalg.transpose ins(%a : tensor<3x2xi8>) outs(%f : tensor<2x3xi8>) permutation = [1, 0]
  %c = linalg.transpose ins(%y : tensor<1x2x3xi8>) outs(%g : tensor<2x1x3xi8>) permutation = [1, 0, 2]
  %r = linalg.transpose ins(%z : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) permutation = [1, 0]
  func.return %b, %c, %r : tensor<2x3xi8>, tensor<2x1x3xi8>, tensor<3x2xi8>
}

// CHECK-LABEL: func.func @slices
// CHECK-NEXT:    %b = tensor.extract_slice %x[1] [3] [1]
// CHECK-NEXT:    func.return %x, %b
func.func @slices(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<3xi8>) {
  %a = tensor.extract_slice %x[0] [4] [1] : tensor<4xi8> to tensor<4xi8>
  %b = tensor.extract_slice %x[1] [3] [1] : tensor<4xi8> to tensor<3xi8>
  func.return %a, %b : tensor<4xi8>, tensor<3xi8>
}

// Dead kernels go.

// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    func.return
func.func @dead(%x: tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %r = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// A kernel that makes nothing is what it would write to.

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<2x0xf32>
// CHECK-NEXT:    func.return %[[E]]
func.func @nothing(%x: tensor<2x0x4xf32>) -> tensor<2x0xf32> {
  %e = tensor.empty() : tensor<2x0xf32>
  %y = nn.reduce ins(%x : tensor<2x0x4xf32>) outs(%e : tensor<2x0xf32>) {kind = "sum", axes = array<i64: 2>, accumulator = f32}
  func.return %y : tensor<2x0xf32>
}

// Of two transposes the merged one reads axis (1, 2, 0) of (0, 2, 1): the order of the two counts.

// CHECK-LABEL: func.func @transposed_twice
// CHECK:         linalg.transpose ins(%x : tensor<2x3x4xi8>) {{.*}} permutation = [2, 1, 0]
func.func @transposed_twice(%x: tensor<2x3x4xi8>) -> tensor<4x3x2xi8> {
  %e = tensor.empty() : tensor<2x4x3xi8>
  %a = linalg.transpose ins(%x : tensor<2x3x4xi8>) outs(%e : tensor<2x4x3xi8>) permutation = [0, 2, 1]
  %f = tensor.empty() : tensor<4x3x2xi8>
  %y = linalg.transpose ins(%a : tensor<2x4x3xi8>) outs(%f : tensor<4x3x2xi8>) permutation = [1, 2, 0]
  func.return %y : tensor<4x3x2xi8>
}

// What draws numbers, writes, or is not known stays, though nobody needs its tensor.

// CHECK-LABEL: func.func @effects
// CHECK-NEXT:    func.call @counts
// CHECK-NEXT:    func.call @unknown
// CHECK-NEXT:    onnx.RandomUniform
// CHECK-NEXT:    onnx.Bernoulli
// CHECK-NEXT:    func.return
ml_program.global private mutable @calls(dense<0> : tensor<i32>) : tensor<i32>
func.func private @counts(%n: tensor<i32>) -> tensor<i32> {
  %old = ml_program.global_load @calls : tensor<i32>
  ml_program.global_store @calls = %n : tensor<i32>
  func.return %old : tensor<i32>
}
func.func private @looks() -> tensor<i32> {
  %old = ml_program.global_load @calls : tensor<i32>
  func.return %old : tensor<i32>
}
func.func private @unknown() -> tensor<i32>
func.func @effects(%n: tensor<i32>, %x: tensor<4xf32>) {
  %a = func.call @counts(%n) : (tensor<i32>) -> tensor<i32>
  %b = func.call @looks() : () -> tensor<i32>
  %c = func.call @unknown() : () -> tensor<i32>
  %d = onnx.RandomUniform() {shape = array<i64: 4>} : () -> tensor<4xf32>
  %e = onnx.Bernoulli(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %f = onnx.Abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// Padding that adds no elements is its operand.

// CHECK-LABEL:  func.func @pad_nothing
// CHECK-NEXT:    func.return %x
func.func @pad_nothing(%x: tensor<1x4x4x8xi8>) -> tensor<1x4x4x8xi8> {
  %0 = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%1: index, %2: index, %3: index, %4: index):
    %5 = arith.constant 0 : i8
    tensor.yield %5 : i8
  } : tensor<1x4x4x8xi8> to tensor<1x4x4x8xi8>
  func.return %0 : tensor<1x4x4x8xi8>
}
