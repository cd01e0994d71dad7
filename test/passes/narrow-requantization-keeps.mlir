// RUN: opt-tool %s -p narrow-requantization > %t && opt-tool %s | diff - %t

// Factors that are no constants.

func.func @unknown(%x: tensor<4xi32>, %m: tensor<4xi32>, %s: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %m : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i32, %f: i32, %0: i8):
    %z = arith.constant 0 : i32
    %r = quant.requantize %a, %f, %z shift 12 clip 0 to 255 in i64 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<4xi32>, tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i32, %f: f32, %0: i8):
    %r = quant.rescale %a, %f zero 0 clip 0 to 255 : i32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %y, %w : tensor<4xi8>, tensor<4xi8>
}
