// RUN: opt-tool %s --verify-diagnostics

func.func @network(%n: i8) -> i16 {
  // expected-error@+1 {{expected one index, got i8 and i16}}
  %i = arith.index_castui %n : i8 to i16
  func.return %i : i16
}
