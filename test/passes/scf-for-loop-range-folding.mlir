// RUN: opt-tool %s -p scf-for-loop-range-folding --interpret-each | filecheck %s
// RUN: opt-tool %s -p scf-for-loop-flatten --interpret-each -o /dev/null

// Sums of indices move to the bounds; those of narrower integers would wrap there: 0 + 100 to 100 + 100 in i8.

// CHECK-LABEL: func.func @network
// CHECK:         arith.addi %c1, %c3 : index
// CHECK:         scf.for
// CHECK:         scf.for %{{.*}} = %z to %h step %o iter_args
// CHECK-NEXT:      arith.addi %j, %h : i8
func.func @network(%x: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c1 to %c9 step %c2 iter_args(%a = %x) -> (i32) {
    %k = arith.addi %i, %c3 : index
    %v = arith.index_cast %k : index to i32
    %s = arith.addi %a, %v : i32
    scf.yield %s : i32
  }
  %z = arith.constant 0 : i8
  %o = arith.constant 1 : i8
  %h = arith.constant 100 : i8
  %q = scf.for %j = %z to %h step %o iter_args(%a = %x) -> (i32) : i8 {
    %k = arith.addi %j, %h : i8
    %v = arith.extsi %k : i8 to i32
    %s = arith.addi %a, %v : i32
    scf.yield %s : i32
  }
  func.return %r, %q : i32, i32
}
