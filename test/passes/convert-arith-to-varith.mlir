// RUN: opt-tool %s -p convert-arith-to-varith | filecheck %s
// RUN: opt-tool %s -p convert-arith-to-varith,convert-varith-to-arith | filecheck %s --check-prefix=CHECK-BACK

// Sums of floats keep their order: `varith.add a, b, c` is (a + b) + c.

// CHECK-LABEL: func.func @network
// CHECK-DAG:     %l = varith.add %a, %b, %c, %d : f32
// CHECK-DAG:     %[[S:.*]] = arith.addf %a, %b : f32
// CHECK-DAG:     %r = varith.add %c, %d, %[[S]] : f32
// CHECK:         %i = varith.add
// CHECK-BACK:      %[[T:.*]] = arith.addf %a, %b : f32
// CHECK-BACK-NEXT: %[[U:.*]] = arith.addf %[[T]], %c : f32
// CHECK-BACK-NEXT: arith.addf %[[U]], %d : f32
func.func @network(%a: f32, %b: f32, %c: f32, %d: f32, %x: i32) -> (f32, f32, i32) {
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %0, %c : f32
  %l = arith.addf %1, %d : f32
  %2 = arith.addf %a, %b : f32
  %3 = arith.addf %c, %d : f32
  %r = arith.addf %2, %3 : f32
  %4 = arith.addi %x, %x : i32
  %5 = arith.addi %x, %x : i32
  %i = arith.addi %4, %5 : i32
  func.return %l, %r, %i : f32, f32, i32
}
