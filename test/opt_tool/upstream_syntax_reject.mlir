// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected the type of a memref}}
memref.global "private" @a : tensor<2xf32> = uninitialized

// -----

func.func @f(%a: memref<2xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{expected a kind of atomic operation: addf, addi}}
  %0 = memref.atomic_rmw subf %x, %a[%i] : (f32, memref<2xf32>) -> f32
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error@+1 {{expected 2 operand types but had 1}}
  scf.parallel (%j, %k) = (%i, %i) to (%i) step (%i, %i) {
  }
  func.return
}

// -----

// Types stand without parentheses after an arrow only, and one alone.
func.func @f(%c: i1, %x: i32) {
  // expected-error@+1 {{Expected region!}}
  %0:2 = scf.if %c -> i32, i32 {
  }
  func.return
}

// -----

// expected-error@+1 {{expected a constant operand of 'mod': semi-affine expressions are not supported}}
"test.op"() {c = affine_map<(d0)[s0] -> (d0 mod s0)>} : () -> ()

// -----

func.func @f(%m: memref<4xi8>, %n: index) {
  // expected-error@+1 {{expected a constant operand of '*': semi-affine}}
  %0 = affine.load %m[%n * %n] : memref<4xi8>
  func.return
}

// -----

// expected-error@+1 {{expected a divisor of 'floordiv' that is not 0}}
"test.op"() {c = affine_map<() -> (5 floordiv 0)>} : () -> ()

// -----

// expected-error@+1 {{expected a constant operand of 'ceildiv'}}
"test.op"() {c = affine_set<(d0)[s0] : (d0 ceildiv s0 == 0)>} : () -> ()

// -----

// expected-error@+1 {{Operation scf.fro is not registered in the dialect 'scf': did you mean 'scf.for'}}
scf.fro

// -----

// expected-error@+1 {{Operation foo.custom is not registered; --load-pass FILE.py knows the dialect of a file}}
foo.custom
