// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f(%n: index) -> index {
  // expected-error@+1 {{expected one index, got index and index}}
  %i = index.casts %n : index to index
  func.return %i : index
}

// -----

func.func @f() -> index {
  // expected-error@+1 {{expected an integer of 64 bits}}
  %i = index.constant 9223372036854775808
  func.return %i : index
}

// -----

func.func @f(%a: index) -> i1 {
  // expected-error@+1 {{Expected `eq`, `ne`, `slt`}}
  %i = index.cmp lt(%a, %a)
  func.return %i : i1
}
