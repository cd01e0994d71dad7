// RUN: opt-tool %s -p fold-constants | filecheck %s
// RUN: opt-tool %s -p 'fold-constants{limit=2048}' | filecheck %s --check-prefix LARGE

// What depends on constants alone is one; what would swell them stays, up to the limit.

// CHECK-LABEL: func.func @network
// CHECK:         %a = arith.constant dense<[2, 4, 6, 8]> : tensor<4xi8>
// CHECK-NEXT:    %b = linalg.generic
// CHECK-SAME:    ins(%a, %x : tensor<4xi8>, tensor<4xi8>)
// CHECK:         %t = arith.constant dense<5> : tensor<1x32xi8>
// CHECK:         %c = linalg.generic
// CHECK-SAME:    ins(%t : tensor<1x32xi8>)
// LARGE-LABEL: func.func @network
// LARGE:         %b = linalg.generic
// LARGE:         %c = arith.constant dense<5> : tensor<64x32xi8>
func.func @network(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<64x32xi8>) {
  %k = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%k : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%u: i8, %o: i8):
    %s = arith.addi %u, %u : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %x : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%u: i8, %v: i8, %o: i8):
    %s = arith.addi %u, %v : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %t = arith.constant dense<5> : tensor<1x32xi8>
  %f = tensor.empty() : tensor<64x32xi8>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<1x32xi8>) outs(%f : tensor<64x32xi8>) {
  ^bb0(%u: i8, %o: i8):
    linalg.yield %u : i8
  } -> tensor<64x32xi8>
  func.return %a, %b, %c : tensor<4xi8>, tensor<4xi8>, tensor<64x32xi8>
}

// Views, and kernels with a body that is no sum, too.

// CHECK-LABEL: func.func @views
// CHECK:         %s = arith.constant dense<{{\[\[}}3], [6]]> : tensor<2x1xi8>
// CHECK:         %j = arith.constant dense<[3, 6, 1]> : tensor<3xi8>
// CHECK-NOT:     tensor.
// CHECK:         func.return %j
func.func @views() -> tensor<3xi8> {
  %k = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %s = tensor.extract_slice %k[0, 2] [2, 1] [1, 1] : tensor<2x3xi8> to tensor<2x1xi8>
  %r = tensor.collapse_shape %s [[0, 1]] : tensor<2x1xi8> into tensor<2xi8>
  %one = arith.constant dense<1> : tensor<1xi8>
  %j = tensor.concat dim(0) %r, %one : (tensor<2xi8>, tensor<1xi8>) -> tensor<3xi8>
  func.return %j : tensor<3xi8>
}

// Random numbers and calls with effects are no constants, whatever they are made of.

// CHECK-LABEL: func.func @effects
// CHECK:         onnx.RandomNormalLike
// CHECK-NEXT:    func.call @counts
// CHECK-NEXT:    func.return
ml_program.global private mutable @calls(dense<0> : tensor<4xi8>) : tensor<4xi8>
func.func private @counts(%n: tensor<4xi8>) -> tensor<4xi8> {
  %old = ml_program.global_load @calls : tensor<4xi8>
  ml_program.global_store @calls = %n : tensor<4xi8>
  func.return %old : tensor<4xi8>
}
func.func @effects() -> (tensor<4xf32>, tensor<4xi8>) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %n = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %r = onnx.RandomNormalLike(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %s = func.call @counts(%n) : (tensor<4xi8>) -> tensor<4xi8>
  func.return %r, %s : tensor<4xf32>, tensor<4xi8>
}
