// RUN: opt-tool %s -p approximate-rescale --split-input-file | filecheck %s

// A float factor of each channel becomes a multiplier and a shift, the bias in front of it a summand.

// CHECK-LABEL: func.func @sums
// CHECK:       arith.constant dense<{{.*}}> : tensor<2xi32>
// CHECK:       nn.conv
// CHECK:       quant.requantize %{{.*}}, %{{.*}}, %{{.*}} shift {{.*}} clip 0 to 255 in i32
// CHECK-NOT:   quant.rescale
func.func @sums(%x: tensor<1x4x4x1xi8>) -> tensor<1x4x4x2xi8> {
  %w = arith.constant dense<[[[[100]]], [[[-40]]]]> : tensor<2x1x1x1xi8>
  %f = arith.constant dense<[0.03, 0.05]> : tensor<2xf32>
  %b = arith.constant dense<[52, -1148]> : tensor<2xi32>
  %e = tensor.empty() : tensor<1x4x4x2xi8>
  %y = nn.conv ins(%x, %w : tensor<1x4x4x1xi8>, tensor<2x1x1x1xi8>) outs(%e : tensor<1x4x4x2xi8>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last, unsigned = array<i64: 0>} epilogue(%f, %b : tensor<2xf32>, tensor<2xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%s: i32, %m: f32, %a: i32):
    %t = arith.addi %s, %a overflow<nsw> : i32
    %r = quant.rescale %t, %m zero 7 clip 0 to 255 : i32, f32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<1x4x4x2xi8>
}
