// RUN: opt-tool %s -p constant-fold-interp > %t && opt-tool %s | diff - %t

// What is undefined, floats and indices.

func.func @f(%x: i32) -> (i32, i32, f32, index, i32) {
  %z = arith.constant 0 : i32
  %m = arith.constant -2147483648 : i32
  %n = arith.constant -1 : i32
  %f = arith.constant 3.0e38 : f32
  %i = arith.constant 3 : index
  %0 = arith.floordivsi %m, %z : i32
  %1 = arith.divsi %m, %n : i32
  %2 = arith.addf %f, %f : f32
  %3 = arith.addi %i, %i : index
  %4 = arith.addi %x, %n : i32
  func.return %0, %1, %2, %3, %4 : i32, i32, f32, index, i32
}
