// RUN: opt-tool %s -p convert-select-to-branch --split-input-file | filecheck %s

// The product that only the rare value needs goes into the branch; the sum, which both need, stays.

// CHECK-LABEL: func.func @rare
// CHECK:       %[[S:.*]] = arith.addi
// CHECK-NOT:   arith.muli
// CHECK:       %[[R:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[S]]
// CHECK-NEXT:    scf.yield %[[P]] : i32
// CHECK-NEXT:  } else {
// CHECK-NEXT:    scf.yield %[[S]] : i32
// CHECK-NEXT:  }{branch_weights = array<i32: 1, 99>}
// CHECK:       func.return %[[R]]
func.func @rare(%c: i1, %a: i32, %b: i32) -> i32 {
  %s = arith.addi %a, %b : i32
  %p = arith.muli %s, %b : i32
  %y = arith.select %c, %p, %s {branch_weights = array<i32: 1, 99>} : i32
  func.return %y : i32
}

// -----

// The second value is the rare one, and has two ops.

// CHECK-LABEL: func.func @second
// CHECK:       scf.if %{{.*}} -> (i32) {
// CHECK-NEXT:    scf.yield %{{.*}} : i32
// CHECK-NEXT:  } else {
// CHECK-NEXT:    %[[P:.*]] = arith.muli
// CHECK-NEXT:    %[[Q:.*]] = arith.muli %[[P]], %[[P]]
// CHECK-NEXT:    scf.yield %[[Q]] : i32
func.func @second(%c: i1, %a: i32, %b: i32) -> i32 {
  %p = arith.muli %a, %b : i32
  %q = arith.muli %p, %p : i32
  %y = arith.select %c, %a, %q {branch_weights = array<i32: 9, 1>} : i32
  func.return %y : i32
}
