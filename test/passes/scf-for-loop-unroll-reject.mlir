// RUN: opt-tool %s -p scf-for-loop-unroll --split-input-file --verify-diagnostics

func.func @f(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000000 : index
  // expected-error@+1 {{the loop is too long to unroll}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
    scf.yield %a : i32
  }
  func.return %r : i32
}
