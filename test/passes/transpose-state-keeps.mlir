// RUN: opt-tool %s -p transpose-state | filecheck %s

// Three states stay as they are: one that a product sums up along its last axis, one that something else reads, too,
// and one that is updated only.

builtin.module {
  ml_program.global private mutable @keys(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
  ml_program.global private mutable @both(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
  ml_program.global private mutable @log(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
  func.func @network(%row: tensor<1x2xi8>, %at: index, %q: tensor<1x2xi8>, %p: tensor<1x3xi8>) -> (tensor<1x3xi32>, tensor<1x2xi32>, tensor<3x2xi8>) {
    %keys = ml_program.global_load @keys : tensor<3x2xi8>
    %e = tensor.empty() : tensor<1x3xi32>
    %s = nn.matmul ins(%q, %keys : tensor<1x2xi8>, tensor<3x2xi8>) outs(%e : tensor<1x3xi32>) {accumulator = i32, transpose_b}
    %both = ml_program.global_load @both : tensor<3x2xi8>
    %f = tensor.empty() : tensor<1x2xi32>
    %t = nn.matmul ins(%p, %both : tensor<1x3xi8>, tensor<3x2xi8>) outs(%f : tensor<1x2xi32>) {accumulator = i32}
    %log = ml_program.global_load @log : tensor<3x2xi8>
    %new = tensor.insert_slice %row into %log[%at, 0] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<3x2xi8>
    ml_program.global_store @log = %new : tensor<3x2xi8>
    func.return %s, %t, %both : tensor<1x3xi32>, tensor<1x2xi32>, tensor<3x2xi8>
  }
}

// CHECK:     @keys(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
// CHECK:     @both(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
// CHECK:     @log(dense<0> : tensor<3x2xi8>) : tensor<3x2xi8>
// CHECK-NOT: linalg.transpose
