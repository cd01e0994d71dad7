// RUN: opt-tool %s -p interchange-kernels | filecheck %s

// The channels, along which one operand varies alone, become the outermost loop.

// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>,
// CHECK-SAME:    affine_map<(d0, d1, d2) -> (d1, d2, d0)>]
func.func @channels(%x: memref<4x5x16xi8>, %b: memref<16xi8>, %y: memref<4x5x16xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %b : memref<4x5x16xi8>, memref<16xi8>) outs(%y : memref<4x5x16xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.addi %0, %1 : i8
    linalg.yield %3 : i8
  }
  func.return
}
