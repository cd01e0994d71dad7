// RUN: opt-tool %s -p fold-constants > %t && opt-tool %s | diff - %t

// A kernel of constants whose body takes a value from outside of it is no constant.

func.func @captures(%s: i8) -> tensor<4xi8> {
  %k = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%k : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%u: i8, %o: i8):
    %t = arith.addi %u, %s : i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  func.return %a : tensor<4xi8>
}

// A padding that is computed outside is not known.
func.func @padded(%v: i32) -> tensor<3xi32> {
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %r = tensor.pad %c low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : i32
  } : tensor<2xi32> to tensor<3xi32>
  func.return %r : tensor<3xi32>
}
