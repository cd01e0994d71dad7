// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @empty(%table: memref<3xi32>, %i: index) {
  // expected-error@+1 {{the range of a table is empty: in [4, 4)}}
  %start = hier.lookup %table[%i] in [4, 4) : memref<3xi32>
  func.return
}

// -----

func.func @floats(%table: memref<3xf32>, %i: index) {
  // expected-error@+1 {{expected a table of integers, found memref<3xf32>}}
  %start = hier.lookup %table[%i] in [0, 4) : memref<3xf32>
  func.return
}

// -----

func.func @rank(%table: memref<3x2xi32>, %i: index) {
  // expected-error@+1 {{expected 2 indices, found 1}}
  %start = hier.lookup %table[%i] in [0, 4) : memref<3x2xi32>
  func.return
}
