// RUN: opt-tool %s -p scf-for-loop-unroll --interpret-each | filecheck %s

// CHECK-LABEL: func.func @network
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @network(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %m3 = arith.constant -3 : index
  %r = scf.for %i = %m3 to %c7 step %c2 iter_args(%a = %x) -> (i32) {
    %v = arith.index_cast %i : index to i32
    %n = scf.for %j = %c7 to %c0 step %c2 iter_args(%e = %a) -> (i32) {
      scf.yield %v : i32
    }
    %b = arith.muli %n, %x : i32
    %c = arith.addi %b, %v : i32
    scf.yield %c : i32
  }
  func.return %r : i32
}

// A loop that does not count up stays: it has no iterations, or no end.

// CHECK-LABEL: func.func @down
// CHECK:         scf.for
func.func @down(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %m1 = arith.constant -1 : index
  %r = scf.for %i = %c7 to %c0 step %m1 iter_args(%a = %x) -> (i32) {
    %b = arith.addi %a, %x : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}
