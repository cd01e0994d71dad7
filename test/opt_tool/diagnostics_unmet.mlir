// RUN: not opt-tool %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// expected-error@+1 {{this never comes}}
func.func @good() {
  func.return
}

// -----

func.func @bad(%a: i32) -> i64 {
  func.return %a : i32
}

// -----

func.func @elsewhere(%a: i32) -> i64 {
  // expected-error@+2 {{same types}}
  func.return %a : i32
}

// -----

// expected-error@+1 {another shape}
func.func @malformed() {
  func.return
}

// CHECK: diagnostics_unmet.mlir:3: error: expected error did not come: this never comes
// CHECK: diagnostics_unmet.mlir:11:3: error: unexpected error: 'func.return' does not verify: Expected arguments
// CHECK: diagnostics_unmet.mlir:18:3: error: unexpected error: 'func.return' does not verify
// CHECK: expected: 'same types' on line 19
// CHECK: diagnostics_unmet.mlir:17: error: expected error did not come: same types
// CHECK: diagnostics_unmet.mlir:23: error: the comment is malformed
