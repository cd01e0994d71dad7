// RUN: not opt-tool %s --split-input-file 2>&1 | filecheck %s
// RUN: opt-tool %s --split-input-file --verify-diagnostics
// RUN: opt-tool %S/print_ir.mlir --mlir-print-skip-regions | filecheck %s --check-prefix=SKIP

// SKIP: builtin.module {...}

// CHECK:      :21:3: error: operand 0 of 'arith.addi' does not dominate its use
// CHECK-NEXT:     %1 = arith.addi %0, %0 : i32
// CHECK-NEXT:     ^
// CHECK-NEXT:   note: see current operation: %1 = "arith.addi"(%0, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
// CHECK-NEXT:   note: {{.*}}diagnostic_notes.mlir:17:3: operand defined here (op in the same region)
// CHECK-NEXT:   expected:   a value that is defined earlier
func.func @region(%a: i1) -> i32 {
  cf.cond_br %a, ^bb1, ^bb2
^bb1:
  // expected-note@+1 {{operand defined here (op in the same region)}}
  %0 = arith.constant 1 : i32
  cf.br ^bb2
^bb2:
  // expected-error@+1 {{does not dominate}}
  %1 = arith.addi %0, %0 : i32
  func.return %1 : i32
}

// -----

func.func @parent(%a: i1) -> i32 {
  %0 = scf.if %a -> i32 {
    // expected-error@+1 {{does not dominate}}
    %1 = arith.addi %2, %2 : i32
    scf.yield %1 : i32
  } else {
    scf.yield %2 : i32
  }
  // expected-note@+1 {{operand defined here (op in a parent region)}}
  %2 = arith.constant 3 : i32
  func.return %2 : i32
}

// -----

// expected-note@+1 {{operand defined here (argument #0 of a block in the same region)}}
func.func @argument(%a: i1, %b: i1) {
  cf.cond_br %a, ^bb1(%b : i1), ^bb2
^bb1(%x: i1):
  cf.br ^bb2
^bb2:
  // expected-error@+1 {{operand 0 of 'scf.if' does not dominate}}
  scf.if %x {
    scf.yield
  }
  func.return
}
