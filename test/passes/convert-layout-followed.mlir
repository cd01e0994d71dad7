// RUN: opt-tool %s -p 'convert-layout,canonicalize,cse' | filecheck %s

// Between two demands of one layout all follow: concatenation, slice, padding, a transpose there and back.

// CHECK-LABEL: func.func @free
// CHECK:       linalg.transpose ins(%x : tensor<1x3x4x4xi8>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK:       nn.conv
// CHECK-NOT:   linalg.transpose
// CHECK:       tensor.concat dim(3) {{.*}} -> tensor<1x4x4x12xi8>
// CHECK:       tensor.extract_slice {{.*}}[0, 0, 0, 2] [1, 4, 4, 8] [1, 1, 1, 1]
// CHECK:       tensor.pad {{.*}} low[0, 1, 0, 0] high[0, 1, 0, 0]
// CHECK-NOT:   linalg.transpose
// CHECK:       nn.conv
// CHECK:       linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK:       func.return
func.func @free(%x: tensor<1x3x4x4xi8>) -> tensor<1x5x6x4xi8> {
  %w = arith.constant dense<1> : tensor<6x3x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<6x3x1x1xi8>) outs(%e : tensor<1x6x4x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  %last = tensor.empty() : tensor<1x4x4x6xi8>
  %t = linalg.transpose ins(%y : tensor<1x6x4x4xi8>) outs(%last : tensor<1x4x4x6xi8>) permutation = [0, 2, 3, 1]
  %b = linalg.transpose ins(%t : tensor<1x4x4x6xi8>) outs(%e : tensor<1x6x4x4xi8>) permutation = [0, 3, 1, 2]
  %c = tensor.concat dim(1) %y, %b : (tensor<1x6x4x4xi8>, tensor<1x6x4x4xi8>) -> tensor<1x12x4x4xi8>
  %s = tensor.extract_slice %c[0, 2, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x12x4x4xi8> to tensor<1x8x4x4xi8>
  %f = arith.constant 0 : i8
  %p = tensor.pad %s low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %f : i8
  } : tensor<1x8x4x4xi8> to tensor<1x8x6x4xi8>
  %v = arith.constant dense<1> : tensor<5x8x1x1xi8>
  %o = tensor.empty() : tensor<1x5x6x4xi8>
  %z = nn.conv ins(%p, %v : tensor<1x8x6x4xi8>, tensor<5x8x1x1xi8>) outs(%o : tensor<1x5x6x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  func.return %z : tensor<1x5x6x4xi8>
}

// Images as tokens: pixels merge to rows, which are the columns of a transpose; none is left of it.

// CHECK-LABEL: func.func @tokens
// CHECK:       %[[Y:[a-z0-9_]+]] = nn.conv {{.*}} outs({{.*}} : tensor<1x4x4x6xi8>)
// CHECK-NOT:   linalg.transpose
// CHECK:       tensor.collapse_shape %[[Y]] {{.*}} : tensor<1x4x4x6xi8> into tensor<1x16x6xi8>
// CHECK-NOT:   linalg.transpose
// CHECK:       func.return
func.func @tokens(%x: tensor<1x1x4x4xi8>) -> tensor<1x16x6xi8> {
  %w = arith.constant dense<1> : tensor<6x1x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x1x4x4xi8>, tensor<6x1x1x1xi8>) outs(%e : tensor<1x6x4x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  %r = tensor.collapse_shape %y [[0], [1], [2, 3]] : tensor<1x6x4x4xi8> into tensor<1x6x16xi8>
  %o = tensor.empty() : tensor<1x16x6xi8>
  %t = linalg.transpose ins(%r : tensor<1x6x16xi8>) outs(%o : tensor<1x16x6xi8>) permutation = [0, 2, 1]
  func.return %t : tensor<1x16x6xi8>
}

// The mean of an image reduces it where its axes are.

// CHECK-LABEL: func.func @mean
// CHECK:       nn.reduce ins({{.*}} : tensor<1x4x4x6xi8>) outs({{.*}} : tensor<1x6xi32>)
// CHECK-SAME:  axes = array<i64: 1, 2>
// CHECK-NOT:   linalg.transpose
// CHECK:       func.return
func.func @mean(%x: tensor<1x1x4x4xi8>) -> tensor<1x6xi32> {
  %w = arith.constant dense<1> : tensor<6x1x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x1x4x4xi8>, tensor<6x1x1x1xi8>) outs(%e : tensor<1x6x4x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  %o = tensor.empty() : tensor<1x6xi32>
  %r = nn.reduce ins(%y : tensor<1x6x4x4xi8>) outs(%o : tensor<1x6xi32>) {kind = "sum", axes = array<i64: 2, 3>, accumulator = i32}
  func.return %r : tensor<1x6xi32>
}
