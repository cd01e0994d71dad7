// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected the type of a memref}}
memref.global "private" @a : tensor<2xf32> = uninitialized

// -----

// expected-error@+1 {{does not verify: property 'initial_value'}}
memref.global "private" @a : memref<2xf32>

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
