// RUN: opt-tool %s -p transpose-state | filecheck %s
// RUN: opt-tool %s -p 'transpose-state,convert-layout,canonicalize' | filecheck %s --check-prefix=LAYOUT

// Values of attention are summed up along the rows of the state, in both functions: it is stored transposed.
// Afterwards convert-layout lets the update, the slice and the products take that layout: no transpose is left.

builtin.module {
  ml_program.global private mutable @values(dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>) : tensor<3x2xi8>
  func.func @network(%row: tensor<1x2xi8>, %at: index, %p: tensor<1x3xi8>) -> tensor<1x2xi32> {
    %old = ml_program.global_load @values : tensor<3x2xi8>
    %new = tensor.insert_slice %row into %old[%at, 0] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<3x2xi8>
    ml_program.global_store @values = %new : tensor<3x2xi8>
    %e = tensor.empty() : tensor<1x2xi32>
    %y = nn.matmul ins(%p, %new : tensor<1x3xi8>, tensor<3x2xi8>) outs(%e : tensor<1x2xi32>) {accumulator = i32}
    func.return %y : tensor<1x2xi32>
  }
  func.func @network_2(%row: tensor<1x2xi8>, %at: index, %p: tensor<1x2xi8>) -> tensor<1x2xi32> {
    %old = ml_program.global_load @values : tensor<3x2xi8>
    %new = tensor.insert_slice %row into %old[%at, 0] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<3x2xi8>
    ml_program.global_store @values = %new : tensor<3x2xi8>
    %first = tensor.extract_slice %new[0, 0] [2, 2] [1, 1] : tensor<3x2xi8> to tensor<2x2xi8>
    %e = tensor.empty() : tensor<1x2xi32>
    %y = nn.matmul ins(%p, %first : tensor<1x2xi8>, tensor<2x2xi8>) outs(%e : tensor<1x2xi32>) {accumulator = i32}
    func.return %y : tensor<1x2xi32>
  }
}

// CHECK:      ml_program.global private mutable @values(dense<{{\[\[}}1, 3, 5], [2, 4, 6]]> : tensor<2x3xi8>) : tensor<2x3xi8>
// CHECK:      %[[OLD:.*]] = ml_program.global_load @values : tensor<2x3xi8>
// CHECK:      %[[BACK:.*]] = linalg.transpose ins(%[[OLD]] : tensor<2x3xi8>) {{.*}} permutation = [1, 0]
// CHECK:      %[[NEW:.*]] = tensor.insert_slice %row into %[[BACK]][%at, 0]
// CHECK:      %[[STORED:.*]] = linalg.transpose ins(%[[NEW]] : tensor<3x2xi8>)
// CHECK:      ml_program.global_store @values = %[[STORED]] : tensor<2x3xi8>

// LAYOUT-NOT: linalg.transpose
// LAYOUT:     func.func @network(
// LAYOUT:     tensor.insert_slice {{.*}}[0, %at] [2, 1] [1, 1] : tensor<2x1xi8> into tensor<2x3xi8>
// LAYOUT:     nn.matmul ins({{.*}} : tensor<1x3xi8>, tensor<2x3xi8>) {{.*}} transpose_b
// LAYOUT:     func.func @network_2(
// LAYOUT:     tensor.extract_slice {{.*}}[0, 0] [2, 2] [1, 1] : tensor<2x3xi8> to tensor<2x2xi8>
// LAYOUT-NOT: linalg.transpose
