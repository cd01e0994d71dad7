// {"kind": "linalg.matmul_transpose_a", "entry": "chunk103", "traits": [], "arguments": [["a0", ["tensor", [2, 2], "i32"], [-9, 9], false], ["a1", ["tensor", [2, 2], "i32"], [-9, 9], false], ["a2", ["tensor", [2, 2], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk103(%arg0: tensor<2x2xi32>, %arg1: tensor<2x2xi32>, %arg2: tensor<2x2xi32>) -> tensor<2x2xi32> {
    %0 = linalg.matmul_transpose_a ins(%arg0, %arg1 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%arg2 : tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}
