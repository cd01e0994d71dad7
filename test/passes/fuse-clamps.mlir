// RUN: opt-tool %s -p fuse-clamps,canonicalize | filecheck %s
// RUN: opt-tool %s -p fuse-clamps --interpret-each -o %t.mlir

// CHECK-LABEL: func.func @network
// CHECK:         ^bb0(%[[X:.*]]: i32, %{{.*}}: i8):
// CHECK-NEXT:      %[[F:.*]] = arith.constant
// CHECK-NEXT:      %[[R:.*]] = quant.rescale %[[X]], %[[F]] zero 0 clip 0 to 100 : i32, f32 -> i8
// CHECK-NEXT:      linalg.yield %[[R]] : i8
func.func @network(%x: tensor<4x8xi32>) -> tensor<4x8xi8> {
  %e = tensor.empty() : tensor<4x8xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xi32>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%i: i32, %o: i8):
    %f = arith.constant 1.0e-08 : f32
    %z = arith.constant 0 : i32
    %h = arith.constant 100 : i32
    %r = quant.rescale %i, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %w = arith.extsi %r : i8 to i32
    %m = arith.maxsi %w, %z : i32
    %n = arith.minsi %h, %m : i32
    %t = arith.trunci %n : i32 to i8
    linalg.yield %t : i8
  } -> tensor<4x8xi8>
  func.return %y : tensor<4x8xi8>
}

// CHECK-LABEL: func.func @of_bytes
// CHECK:         quant.requantize %{{.*}} shift 8 clip 0 to 127 in i32
// CHECK-NEXT:    linalg.yield
func.func @of_bytes(%x: tensor<8xi32>) -> tensor<8xi8> {
  %e = tensor.empty() : tensor<8xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%e : tensor<8xi8>) {
  ^bb0(%i: i32, %o: i8):
    %f = arith.constant 3 : i32
    %z = arith.constant 0 : i32
    %b = arith.constant 0 : i8
    %r = quant.requantize %i, %f, %z shift 8 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    %m = arith.maxsi %r, %b : i8
    linalg.yield %m : i8
  } -> tensor<8xi8>
  func.return %y : tensor<8xi8>
}
