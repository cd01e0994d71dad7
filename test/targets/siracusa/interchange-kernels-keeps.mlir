// RUN: opt-tool %s -p interchange-kernels > %t && opt-tool %s | diff - %t

// No operand of channels alone; and too few pixels.

func.func @kept(%x: memref<4x5x16xi8>, %y: memref<4x5x16xi8>, %z: memref<2x16xi8>, %b: memref<16xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<4x5x16xi8>) outs(%y : memref<4x5x16xi8>) {
  ^bb0(%0: i8, %1: i8):
    %2 = arith.addi %0, %0 : i8
    linalg.yield %2 : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%z, %b : memref<2x16xi8>, memref<16xi8>) outs(%z : memref<2x16xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.addi %0, %1 : i8
    linalg.yield %3 : i8
  }
  func.return
}
