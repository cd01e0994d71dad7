// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// RUN: opt-tool %s --mlir-print-op-generic | filecheck %s --check-prefix=CHECK-GENERIC

// CHECK: ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>
ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>

// CHECK: ml_program.global public @"a table"(dense<[1, 2]> : tensor<2xi8>) : tensor<2xi8> {test.mark}
ml_program.global public @"a table"(dense<[1, 2]> : tensor<2xi8>) : tensor<2xi8> {test.mark}

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %table = ml_program.global_load_const @"a table" {test.mark} : tensor<2xi8>
// CHECK-GENERIC: "ml_program.global_load_const"() <{global = @"a table"}> {test.mark} : () -> tensor<2xi8>
func.func @constant() -> tensor<2xi8> {
  %table = ml_program.global_load_const @"a table" {test.mark} : tensor<2xi8>
  func.return %table : tensor<2xi8>
}

// CHECK-LABEL: func.func @network
// CHECK-NEXT:    %old = ml_program.global_load @k : tensor<4xi8>
// CHECK-NEXT:    ml_program.global_store @k = %x : tensor<4xi8>
func.func @network(%x: tensor<4xi8>) -> tensor<4xi8> {
  %old = ml_program.global_load @k : tensor<4xi8>
  ml_program.global_store @k = %x : tensor<4xi8>
  func.return %old : tensor<4xi8>
}
