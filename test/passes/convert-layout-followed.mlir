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

// Normalisation across channels: windows along channels are those of a pooling of [1, 1, C, H * W], which pools
// [1, 1, H * W, C] instead.

// CHECK-LABEL: func.func @across
// CHECK:       %[[P:[a-z0-9_]+]] = nn.pool ins({{.*}} : tensor<1x1x16x6xi8>) outs({{.*}} : tensor<1x1x16x6xi8>)
// CHECK-SAME:  window = array<i64: 1, 3>
// CHECK-SAME:  pads = array<i64: 0, 1, 0, 1>
// CHECK-NOT:   linalg.transpose
// CHECK:       func.return
func.func @across(%x: tensor<1x1x4x4xi8>) -> tensor<1x4x4x6xi8> {
  %w = arith.constant dense<1> : tensor<6x1x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x1x4x4xi8>, tensor<6x1x1x1xi8>) outs(%e : tensor<1x6x4x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  %m = tensor.collapse_shape %y [[0, 1, 2, 3]] : tensor<1x6x4x4xi8> into tensor<96xi8>
  %r = tensor.expand_shape %m [[0, 1, 2, 3]] output_shape [1, 1, 6, 16] : tensor<96xi8> into tensor<1x1x6x16xi8>
  %o = tensor.empty() : tensor<1x1x6x16xi8>
  %p = nn.pool ins(%r : tensor<1x1x6x16xi8>) outs(%o : tensor<1x1x6x16xi8>) {kind = "max", window = array<i64: 3, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 0>, accumulator = i8}
  %n = tensor.collapse_shape %p [[0, 1, 2, 3]] : tensor<1x1x6x16xi8> into tensor<96xi8>
  %s = tensor.expand_shape %n [[0, 1, 2, 3]] output_shape [1, 6, 4, 4] : tensor<96xi8> into tensor<1x6x4x4xi8>
  %last = tensor.empty() : tensor<1x4x4x6xi8>
  %t = linalg.transpose ins(%s : tensor<1x6x4x4xi8>) outs(%last : tensor<1x4x4x6xi8>) permutation = [0, 2, 3, 1]
  func.return %t : tensor<1x4x4x6xi8>
}

// An image twice as large, by an access map and by a gather.

// CHECK-LABEL: func.func @resized
// CHECK:       affine_map<(d0, d1, d2, d3) -> (d0, (d1 floordiv 2), d2, d3)>
// CHECK:       linalg.index 2 : index
// CHECK:       tensor.extract {{.*}} : tensor<1x8x4x6xi8>
// CHECK-NOT:   linalg.transpose
// CHECK:       func.return
func.func @resized(%x: tensor<1x1x4x4xi8>) -> tensor<1x8x4x6xi8> {
  %w = arith.constant dense<1> : tensor<6x1x1x1xi8>
  %e = tensor.empty() : tensor<1x6x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x1x4x4xi8>, tensor<6x1x1x1xi8>) outs(%e : tensor<1x6x4x4xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i8, wraps}
  %f = tensor.empty() : tensor<1x6x8x4xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<1x6x4x4xi8>) outs(%f : tensor<1x6x8x4xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  } -> tensor<1x6x8x4xi8>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%f : tensor<1x6x8x4xi8>) {
  ^bb0(%b: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %c = arith.constant 3 : index
    %m = arith.subi %c, %l : index
    %v = tensor.extract %r[%i, %j, %k, %m] : tensor<1x6x8x4xi8>
    linalg.yield %v : i8
  } -> tensor<1x6x8x4xi8>
  %last = tensor.empty() : tensor<1x8x4x6xi8>
  %t = linalg.transpose ins(%g : tensor<1x6x8x4xi8>) outs(%last : tensor<1x8x4x6xi8>) permutation = [0, 2, 3, 1]
  func.return %t : tensor<1x8x4x6xi8>
}
