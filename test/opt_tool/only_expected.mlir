// What is expected has to come; what else comes is let pass.
// RUN: opt-tool %s --split-input-file --verify-diagnostics=only-expected
// RUN: not opt-tool %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s
// RUN: not opt-tool %s --verify-diagnostics=only-expected -p no-such-pass 2>&1 | filecheck %s --check-prefix=USAGE

// CHECK: unexpected error: the value %b is used, but not defined
// USAGE: no pass 'no-such-pass'

func.func @f() {
  // expected-error@+1 {{does not dominate its use}}
  %0 = arith.addi %1, %1 : i32
  %1 = arith.constant 1 : i32
  func.return
}

// -----

func.func @g() {
  func.return %b : i32
}
