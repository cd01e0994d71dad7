// RUN: opt-tool %s -p scalarize-vectors --split-input-file --verify-diagnostics

func.func @f(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.splat %x : vector<4xf32>
  // expected-error@+1 {{'scf.for' on vectors is not scalarized}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (vector<4xf32>) {
    scf.yield %a : vector<4xf32>
  }
  func.return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{'arith.addf' takes a vector that no scalars stand for}}
  %r = arith.addf %v, %v : vector<4xf32>
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{a scalable vector has no scalars}}
  %v = vector.splat %x : vector<[4]xf32>
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{a vector has more than 1024 elements, each of which would be an op}}
  %v = vector.splat %x : vector<32x64xf32>
  func.return
}

// -----

func.func @f(%v: f64) {
  %a = vector.splat %v : vector<2xf64>
  // expected-error@+1 {{'vector.bitcast' to elements of another width is not scalarized}}
  %r = vector.bitcast %a : vector<2xf64> to vector<4xf32>
  func.return
}
