// RUN: opt-tool %s -p fuse-products | filecheck %s

// A product that a sum alone needs, on either side of it.

// CHECK-LABEL: func.func @sums
// CHECK:         %{{.*}} = cluster.mac %a, %b, %c
// CHECK:         %{{.*}} = cluster.mac %b, %c, %{{.*}}
// CHECK-NOT:     arith.muli
func.func @sums(%a: i32, %b: i32, %c: i32) -> i32 {
  %p = arith.muli %a, %b overflow<nsw> : i32
  %s = arith.addi %p, %c overflow<nsw> : i32
  %q = arith.muli %b, %c : i32
  %t = arith.addi %s, %q : i32
  func.return %t : i32
}
