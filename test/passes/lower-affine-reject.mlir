// RUN: opt-tool %s -p lower-affine --split-input-file --verify-diagnostics

func.func @f(%n: index) -> index {
  // expected-error@+1 {{the divisor of 'mod' is not positive, which is undefined}}
  %a = affine.apply affine_map<(d0) -> (d0 mod -3)>(%n)
  func.return %a : index
}

// -----

func.func @f(%n: index, %m: memref<4xi8>) {
  // expected-error@+1 {{the divisor of 'floordiv' is not positive}}
  %a = affine.load %m[%n floordiv 0] : memref<4xi8>
  func.return
}
