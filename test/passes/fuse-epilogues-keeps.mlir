// RUN: opt-tool %s -p fuse-epilogues > %t && opt-tool %s | diff - %t

// A tensor that something else reads too is not fused away.
func.func @two_uses(%x: tensor<2x4xi8>, %w: tensor<4x4xi8>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %e = tensor.empty() : tensor<2x4xi32>
  %p = nn.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x4xi8>) outs(%e : tensor<2x4xi32>) {accumulator = i32}
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x4xi32>) outs(%e : tensor<2x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<2x4xi32>
  func.return %p, %q : tensor<2x4xi32>, tensor<2x4xi32>
}

// Nor is one that is read at other places than the output's.
func.func @broadcast(%x: tensor<1x4xi8>, %w: tensor<4x4xi8>) -> tensor<2x4xi32> {
  %e = tensor.empty() : tensor<1x4xi32>
  %f = tensor.empty() : tensor<2x4xi32>
  %p = nn.matmul ins(%x, %w : tensor<1x4xi8>, tensor<4x4xi8>) outs(%e : tensor<1x4xi32>) {accumulator = i32}
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<1x4xi32>) outs(%f : tensor<2x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<2x4xi32>
  func.return %q : tensor<2x4xi32>
}

// Nor into a kernel that reads its output.
func.func @accumulates(%x: tensor<2x4xi8>, %w: tensor<4x4xi8>, %f: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %e = tensor.empty() : tensor<2x4xi32>
  %p = nn.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x4xi8>) outs(%e : tensor<2x4xi32>) {accumulator = i32}
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x4xi32>) outs(%f : tensor<2x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %o : i32
    linalg.yield %s : i32
  } -> tensor<2x4xi32>
  func.return %q : tensor<2x4xi32>
}
