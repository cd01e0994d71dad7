// RUN: opt-tool %s -p canonicalize,cse,cse --mlir-print-ir-after-change=diff -o %t 2>&1 | filecheck %s
// RUN: opt-tool %s -p canonicalize,cse --mlir-print-ir-after=canonicalize --mlir-print-ir-after-change=diff -o %t 2>&1 | filecheck %s --check-prefix=NAMED
// RUN: opt-tool %s -p cse --mlir-print-ir-after-change=false | filecheck %s --check-prefix=NONE
// RUN: not opt-tool %s -p cse --mlir-print-ir-after-change=dif 2>&1 | filecheck %s --check-prefix=CHOICE
// RUN: not opt-tool %s -p cse --mlir-print-ir-after-change=diff --mlir-print-ir-tree-dir=%t 2>&1 | filecheck %s --check-prefix=TREE
// RUN: not opt-tool %s -p cse --mlir-print-ir-tree-dir=%t 2>&1 | filecheck %s --check-prefix=TREE

// CHECK: // -----// IR Dump After CanonicalizePass (canonicalize) //----- //
// CHECK-NEXT: --- before canonicalize
// CHECK-NEXT: +++ after canonicalize
// CHECK-NEXT: @@ -1,9 +1,6 @@
// CHECK-NEXT: {{^}} builtin.module {
// CHECK-NEXT: {{^}}   func.func @f
// CHECK-NEXT: {{^}}-    %0 = arith.constant 9 : i32
// CHECK-NEXT: {{^}}     %0 = arith.addi %a, %a : i32
// CHECK-NEXT: {{^}}-    %2 = arith.addi %a, %a : i32
// CHECK-NEXT: {{^}}-    %3 = arith.muli %1, %2 : i32
// CHECK-NEXT: {{^}}     func.return %0 : i32
// CHECK-NEXT: {{^}}   }
// CHECK-NEXT: {{^}}   func.func @g

// CHECK: // -----// IR Dump After CsePass (cse) //----- //
// CHECK-NEXT: --- before cse
// CHECK-NEXT: +++ after cse
// CHECK-NEXT: @@ -5,8 +5,7 @@
// CHECK: {{^}}     %0 = arith.addi %a, %a : i32
// CHECK-NEXT: {{^}}-    %1 = arith.addi %a, %a : i32
// CHECK-NEXT: {{^}}-    %2 = arith.subi %0, %1 : i32
// CHECK-NEXT: {{^}}+    %1 = arith.subi %0, %0 : i32
// CHECK-NEXT: {{^}}     %2 = arith.muli %1, %a : i32
// CHECK-NEXT: {{^}}     func.return %2 : i32
// CHECK-NOT: IR Dump

// NAMED: (canonicalize)
// NAMED-NOT: (cse)

// NONE: builtin.module
// CHOICE: argument --mlir-print-ir-after-change: expected true or false, found 'dif'
// TREE: error: --mlir-print-ir-tree-dir has no IR to write

func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 9 : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %a, %a : i32
  %3 = arith.muli %1, %2 : i32
  func.return %1 : i32
}

func.func @g(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.subi %0, %1 : i32
  %3 = arith.muli %2, %a : i32
  func.return %3 : i32
}
