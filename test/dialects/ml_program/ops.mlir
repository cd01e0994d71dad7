// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// CHECK: ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>
ml_program.global private mutable @k(dense<0> : tensor<4xi8>) : tensor<4xi8>

// CHECK-LABEL: func.func @network
// CHECK-NEXT:    %old = ml_program.global_load @k : tensor<4xi8>
// CHECK-NEXT:    ml_program.global_store @k = %x : tensor<4xi8>
func.func @network(%x: tensor<4xi8>) -> tensor<4xi8> {
  %old = ml_program.global_load @k : tensor<4xi8>
  ml_program.global_store @k = %x : tensor<4xi8>
  func.return %old : tensor<4xi8>
}
