// RUN: opt-tool %s -p fuse-widening > %t && opt-tool %s | diff - %t
// RUN: opt-tool %s -p fuse-widening --remarks - -o %t 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: missed fusion of 'linalg.generic': the widened constant is stored for nn.matmul, which do not read i8
// REMARK-NOT: remark

// The scale is along the summed axis, not along the features.
func.func @summed(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<1> : tensor<2x3xi8>
  %s = arith.constant dense<[0.5, 3.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<2x3xi8>, tensor<2xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%0: i8, %1: f32, %2: f32):
    %3 = arith.sitofp %0 : i8 to f32
    %4 = arith.mulf %3, %1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x3xf32>
  %o = tensor.empty() : tensor<4x3xf32>
  %y = nn.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%o : tensor<4x3xf32>) {accumulator = f32}
  func.return %y : tensor<4x3xf32>
}

// A zero point is taken off before the scale.
func.func @zero_point(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<1> : tensor<2x3xi8>
  %e = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<2x3xi8>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%0: i8, %1: f32):
    %2 = arith.extsi %0 : i8 to i32
    %3 = arith.constant 7 : i32
    %4 = arith.subi %2, %3 : i32
    %5 = arith.sitofp %4 : i32 to f32
    linalg.yield %5 : f32
  } -> tensor<2x3xf32>
  %o = tensor.empty() : tensor<4x3xf32>
  %y = nn.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%o : tensor<4x3xf32>) {accumulator = f32}
  func.return %y : tensor<4x3xf32>
}

// What is computed at run time is no constant; sums in another type would convert to that one.
func.func @computed(%x: tensor<4x2xf32>, %c: tensor<2x3xbf16>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<2x3xbf16>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%0: bf16, %1: f32):
    %2 = arith.extf %0 : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<2x3xf32>
  %o = tensor.empty() : tensor<4x3xf32>
  %y = nn.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%o : tensor<4x3xf32>) {accumulator = f32}
  func.return %y : tensor<4x3xf32>
}
