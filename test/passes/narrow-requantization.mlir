// RUN: opt-tool %s -p narrow-requantization --split-input-file | filecheck %s

// The weights say that the sums lie between -1020 and 765: their products and the bias fit 32 bits, rounding included.

// CHECK-LABEL: func.func @sums
// CHECK:       arith.constant dense<[2100, 900]> : tensor<2xi16>
// CHECK:       nn.conv
// CHECK:       ^bb0(%[[S:.*]]: i32, %[[F:.*]]: i32, %[[A:.*]]: i16):
// CHECK-NEXT:  %[[P:.*]] = arith.muli %[[S]], %[[F]] overflow<nsw> : i32
// CHECK-NEXT:  %[[W:.*]] = arith.extsi %[[A]] : i16 to i32
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

// A float factor becomes an integer line with a rounding test; next to halves, a product in 32 bits decides.

// CHECK-LABEL: func.func @scaled
// CHECK:       %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK-NEXT:  %[[A:.*]] = arith.constant
// CHECK-NEXT:  %[[T:.*]] = arith.addi %[[P]], %[[A]] overflow<nsw> : i32
// CHECK:       arith.shrsi %[[T]]
// CHECK:       arith.andi %[[T]]
// CHECK:       %[[N:.*]] = arith.cmpi ult
// CHECK-NOT:   quant.rescale
// CHECK:       arith.select %[[N]], %{{.*}}, %{{.*}} {branch_weights = array<i32: {{.*}}>} : i8
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

// A sum of two dequantised bytes: all 65,536 pairs say that the line needs no margin, or which one.

// CHECK-LABEL: func.func @residual
// CHECK:       %[[B:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK:       arith.muli
// CHECK:       arith.muli
// CHECK:       arith.shrsi
func.func @residual(%x: tensor<4xi8>, %z: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %z : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.constant 0.31 : f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.extsi %b : i8 to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.constant 0.72 : f32
    %7 = arith.mulf %5, %6 : f32
    %8 = arith.addf %3, %7 : f32
    %9 = arith.constant 1.0 : f32
    %r = quant.rescale %8, %9 zero 3 clip -128 to 127 : f32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// -----

// A float is compared in fixed point.

// CHECK-LABEL: func.func @quantized
// CHECK:       arith.bitcast %{{.*}} : f32 to i32
// CHECK:       arith.muli
// CHECK:       arith.select %{{.*}} {branch_weights
func.func @quantized(%x: tensor<4xf32>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: f32, %b: i8):
    %f = arith.constant 0.0231 : f32
    %d = arith.divf %a, %f : f32
    %o = arith.constant 1.0 : f32
    %r = quant.rescale %d, %o zero 0 clip -128 to 127 : f32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
