// RUN: opt-tool %s -p narrow-requantization --split-input-file | filecheck %s

// The weights say that the sums lie between -1020 and 765: their products and the bias fit 32 bits, rounding included.

// CHECK-LABEL: func.func @sums
// CHECK:       arith.constant dense<[2100, 900]> : tensor<2xi16>
// CHECK:       nn.conv
// CHECK:       ^bb0(%[[S:.*]]: i32, %[[F:.*]]: i32, %[[A:.*]]: i16):
// CHECK-NEXT:  %[[W:.*]] = arith.extsi %[[A]] : i16 to i32
// CHECK-NEXT:  %[[P:.*]] = arith.muli %[[S]], %[[F]] overflow<nsw> : i32
// CHECK-NEXT:  %[[T:.*]] = arith.addi %[[P]], %[[W]] overflow<nsw> : i32
// CHECK:       arith.shrsi %[[T]]
// CHECK-NOT:   quant.requantize
func.func @sums(%x: tensor<1x4x4x1xi8>) -> tensor<1x4x4x2xi8> {
  %w = arith.constant dense<[[[[1]]], [[[-4]]]]> : tensor<2x1x1x1xi8>
  %m = arith.constant dense<[100000, 200000]> : tensor<2xi32>
  %b = arith.constant dense<[52, -1148]> : tensor<2xi32>
  %e = tensor.empty() : tensor<1x4x4x2xi8>
  %y = nn.conv ins(%x, %w : tensor<1x4x4x1xi8>, tensor<2x1x1x1xi8>) outs(%e : tensor<1x4x4x2xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last, unsigned = array<i64: 0>} epilogue(%m, %b : tensor<2xi32>, tensor<2xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%s: i32, %f: i32, %a: i32):
    %r = quant.requantize %s, %f, %a shift 12 clip 0 to 255 in i64 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<1x4x4x2xi8>
}

// -----

// A float factor becomes the upper word of a product.

// CHECK-LABEL: func.func @scaled
// CHECK:       arith.shli
// CHECK:       arith.mulsi_extended
// CHECK-NOT:   quant.rescale
func.func @scaled(%x: tensor<4xi16>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi16>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i16, %b: i8):
    %w = arith.extsi %a : i16 to i32
    %f = arith.constant 0.0027 : f32
    %r = quant.rescale %w, %f zero 0 clip 0 to 255 : i32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// -----
