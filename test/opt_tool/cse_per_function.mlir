// RUN: opt-tool %s --mlir-print-debuginfo --pass-pipeline='builtin.module(func.func(cse))' | filecheck %s
// RUN: opt-tool %s --mlir-print-debuginfo -p cse | filecheck %s
// RUN: opt-tool %s --mlir-print-debuginfo -pass-pipeline 'func.func(canonicalize , cse)' -o %t && filecheck %s --input-file %t

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:     %0 = arith.addi %a, %a : i32 loc("Conv_1")
// CHECK-NEXT:     %1 = arith.muli %0, %0 : i32 loc(fused["A", "B"])
// CHECK-NEXT:     func.return %1 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @g(%a: i32) -> i32 {
// CHECK-NEXT:     %0 = arith.addi %a, %a : i32
// CHECK-NEXT:     func.return %0 : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("Conv_1")
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32 loc(fused["A", "B"])
  func.return %2 : i32
}
func.func @g(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  func.return %1 : i32
}
