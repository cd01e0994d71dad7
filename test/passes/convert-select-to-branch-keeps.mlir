// RUN: opt-tool %s -p convert-select-to-branch > %t && opt-tool %s | diff - %t

// Selects without frequencies, of values that are used elsewhere, and of equal values.

func.func @kept(%c: i1, %a: i32, %b: i32) -> (i32, i32, i32, i32) {
  %p = arith.muli %a, %b : i32
  %0 = arith.select %c, %p, %a : i32
  %q = arith.muli %a, %a : i32
  %1 = arith.select %c, %q, %a {branch_weights = array<i32: 1, 99>} : i32
  %r = arith.muli %b, %b : i32
  %2 = arith.select %c, %r, %r {branch_weights = array<i32: 1, 99>} : i32
  func.return %0, %1, %2, %q : i32, i32, i32, i32
}
