// RUN: opt-tool %s -p approximate-rescale > %t && opt-tool %s | diff - %t

// A factor that is no constant, a function of a float, and one that falls.

func.func @kept(%x: tensor<4xi32>, %s: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<4xi32>, tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i32, %f: f32, %0: i8):
    %r = quant.rescale %a, %f zero 0 clip 0 to 255 : i32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%e : tensor<4xi8>) {
  ^bb0(%f: f32, %0: i8):
    %c = arith.constant 0.25 : f32
    %r = quant.rescale %f, %c zero 0 clip -128 to 127 : f32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i32, %0: i8):
    %c = arith.constant -0.25 : f32
    %r = quant.rescale %a, %c zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %w, %v, %y : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
