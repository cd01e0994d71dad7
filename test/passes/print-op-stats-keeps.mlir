// The program stays as it is.
// RUN: opt-tool %s --print-op-stats | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32) {
// CHECK-NEXT:     %0 = arith.addi %a, %a : i32
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @f(%a: i32) {
  %0 = arith.addi %a, %a : i32
  func.return
}
