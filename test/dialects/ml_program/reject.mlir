// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f() -> tensor<4xi8> {
  // expected-error@+1 {{there is no ml_program.global @k}}
  %old = ml_program.global_load @k : tensor<4xi8>
  func.return %old : tensor<4xi8>
}

// -----

ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>
func.func @f() -> tensor<2xi8> {
  // expected-error@+1 {{@k has the type tensor<4xi8>, not tensor<2xi8>}}
  %old = ml_program.global_load @k : tensor<2xi8>
  func.return %old : tensor<2xi8>
}

// -----

ml_program.global private @k(dense<0> : tensor<4xi8>) : tensor<4xi8>
func.func @f(%x: tensor<4xi8>) {
  // expected-error@+1 {{@k is not mutable}}
  ml_program.global_store @k = %x : tensor<4xi8>
  func.return
}

// -----

ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>
func.func @f() -> tensor<4xi8> {
  // expected-error@+1 {{@k is mutable: ml_program.global_load reads it}}
  %old = ml_program.global_load_const @k : tensor<4xi8>
  func.return %old : tensor<4xi8>
}
