// RUN: opt-tool %s -p dce,cse,dce --mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHECK-CHANGE
// RUN: opt-tool %s -p dce,cse --mlir-print-ir-before=cse --mlir-print-ir-after=cse -o %t 2>&1 | filecheck %s --check-prefix=CHECK-NAMED
// RUN: opt-tool %s -p dce,cse --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix=CHECK-ALL

// CHECK-CHANGE-NOT: (dce)
// CHECK-CHANGE: // -----// IR Dump After {{[A-Za-z]+}} (cse) //----- //
// CHECK-CHANGE: %0 = arith.addi %a, %a
// CHECK-CHANGE-NEXT: func.return
// CHECK-CHANGE-NOT: IR Dump

// CHECK-NAMED: // -----// IR Dump Before {{[A-Za-z]+}} (cse) //----- //
// CHECK-NAMED: %1 = arith.addi
// CHECK-NAMED: // -----// IR Dump After {{[A-Za-z]+}} (cse) //----- //
// CHECK-NAMED-NOT: %1 = arith.addi

// CHECK-ALL: // -----// IR Dump After {{[A-Za-z]+}} (dce) //----- //
// CHECK-ALL: // -----// IR Dump After {{[A-Za-z]+}} (cse) //----- //

func.func @g(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  func.return %0, %1 : i32, i32
}
