// RUN: opt-tool %s -p convert-to-packed | filecheck %s

// A padded convolution and the pool after it become channels-last; the weights are packed; the input is transposed
// once, and the result, of one pixel, is a view.

builtin.module {
  func.func @network(%x: tensor<1x3x4x4xi8>) -> tensor<1x2x1x1xi8> {
    %w = arith.constant dense<1> : tensor<2x3x3x3xi8>
    %e = tensor.empty() : tensor<1x2x4x4xi32>
    %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<2x3x3x3xi8>) outs(%e : tensor<1x2x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, unsigned = array<i64: 0>}
    %f = tensor.empty() : tensor<1x2x4x4xi8>
    %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<1x2x4x4xi32>) outs(%f : tensor<1x2x4x4xi8>) {
    ^bb0(%a: i32, %b: i8):
      %t = arith.trunci %a : i32 to i8
      linalg.yield %t : i8
    } -> tensor<1x2x4x4xi8>
    %g = tensor.empty() : tensor<1x2x1x1xi8>
    %p = nn.pool ins(%q : tensor<1x2x4x4xi8>) outs(%g : tensor<1x2x1x1xi8>) {kind = "max", window = array<i64: 4, 4>, strides = array<i64: 4, 4>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
    func.return %p : tensor<1x2x1x1xi8>
  }
}

// CHECK:      linalg.transpose ins(%x : tensor<1x3x4x4xi8>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK:      tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:      packed.conv ins({{.*}} : tensor<1x6x6x3xi8>, tensor<1x3x3x16x4xi8>) outs({{.*}} : tensor<1x4x4x2xi32>)
// CHECK-SAME: kernel = array<i64: 3, 3>
// CHECK:      linalg.generic
// CHECK:      nn.pool ins({{.*}} : tensor<1x4x4x2xi8>) outs({{.*}} : tensor<1x1x1x2xi8>)
// CHECK-SAME: channels_last
// CHECK-NOT:  linalg.transpose
// CHECK:      func.return
