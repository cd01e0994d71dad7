// {"kind": "linalg.matmul_transpose_a", "entry": "chunk295", "traits": [], "arguments": [["a0", ["tensor", [3, 1], "f32"], [-9, 9], false], ["a1", ["tensor", [3, 3], "f32"], [-9, 9], false], ["a2", ["tensor", [1, 3], "f32"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk295(%arg0: tensor<3x1xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = linalg.matmul_transpose_a ins(%arg0, %arg1 : tensor<3x1xf32>, tensor<3x3xf32>) outs(%arg2 : tensor<1x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}
