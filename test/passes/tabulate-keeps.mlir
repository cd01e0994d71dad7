// RUN: opt-tool %s -p tabulate > %t && opt-tool %s | diff - %t

// A quotient that depends on two bytes, one that depends on 32 bits, and a sum of bytes, which costs less than a table.
func.func @f(%x: tensor<4xi8>, %v: tensor<4xi8>, %u: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi32>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %g = tensor.empty() : tensor<4xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %v : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%i: i8, %j: i8, %o: i8):
    %q = arith.divsi %i, %j : i8
    linalg.yield %q : i8
  } -> tensor<4xi8>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%u : tensor<4xi32>) outs(%g : tensor<4xi32>) {
  ^bb0(%i: i32, %o: i32):
    %d = arith.constant 7 : i32
    %q = arith.divsi %i, %d : i32
    linalg.yield %q : i32
  } -> tensor<4xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  func.return %a, %b, %c : tensor<4xi8>, tensor<4xi32>, tensor<4xi8>
}
