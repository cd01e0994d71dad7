// Passes as flags, in order, with options, with one dash or two, by the names that upstream has for them.
// RUN: opt-tool %s --canonicalize --cse | filecheck %s
// RUN: opt-tool %s -canonicalize -cse | filecheck %s
// RUN: opt-tool %s --pass-pipeline='any(canonicalize,cse)' | filecheck %s
// RUN: opt-tool %s --pass-pipeline='builtin.module(any(canonicalize,cse))' | filecheck %s
// RUN: opt-tool %s --canonicalize --cse --mlir-timing -o %t.out 2>&1 | filecheck %s --check-prefix=TIMING
// RUN: opt-tool %s --trivial-dce --mlir-print-local-scope --mlir-print-ir-after=trivial-dce 2>&1 | filecheck %s --check-prefix=DCE
// RUN: opt-tool %s -p loop-invariant-code-motion | filecheck %s --check-prefix=LICM
// RUN: opt-tool --help-pass=loop-invariant-code-motion | filecheck %s --check-prefix=HELP
// RUN: opt-tool %s --fold-constants='limit=7' --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=LIMIT

// CHECK-LABEL: func.func @f
// CHECK-NEXT: %0 = arith.addi %x, %y : i32
// CHECK-NEXT: %{{.*}} = arith.muli %0, %0 : i32
// CHECK-NEXT: func.return

// TIMING: canonicalize
// TIMING: cse

// DCE: IR Dump After {{.*}} (dce)
// DCE-NOT: arith.subi

// HELP: licm

// LIMIT: (fold-constants)

// LICM: arith.addi
// LICM: scf.for

func.func @f(%x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %y : i32
  %1 = arith.addi %x, %y : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.subi %x, %y : i32
  func.return %2 : i32
}

func.func @g(%x: i32, %m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %s = arith.addi %x, %x : i32
    memref.store %s, %m[%i] : memref<4xi32>
  }
  func.return
}
