// RUN: opt-tool %s -p tabulate | filecheck %s

// A store in the code of a kernel gives no result, and stays.

// CHECK-LABEL: func.func @stores
// CHECK:         memref.store
// CHECK:         quant.lookup
func.func @stores(%x: tensor<4xi8>, %m: memref<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = linalg.index 0 : index
    memref.store %a, %m[%i] : memref<4xi8>
    %w = arith.extsi %a : i8 to i32
    %d = arith.constant 7 : i32
    %r = arith.divsi %w, %d : i32
    %t = arith.trunci %r : i32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}
