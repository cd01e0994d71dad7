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

// -----

func.func @f(%x: f32, %n: index, %k: index) {
  // expected-error@+1 {{affine.parallel with reductions is not lowered}}
  %0 = "affine.parallel"(%n, %k) <{lowerBoundsMap = affine_map<(d0) -> (d0)>, lowerBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<() -> (9)>, upperBoundsGroups = dense<1> : vector<1xi32>, steps = [3 : i64], reductions = ["addf"]}> ({
  ^bb1(%j: index):
    "affine.yield"(%x) : (f32) -> ()
  }) : (index, index) -> f32
  func.return
}
