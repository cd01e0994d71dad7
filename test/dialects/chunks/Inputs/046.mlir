// {"kind": "linalg.batch_vecmat", "entry": "chunk46", "traits": [], "arguments": [["a0", ["tensor", [3, 1], "f32"], [-9, 9], false], ["a1", ["tensor", [3, 1, 3], "f32"], [-9, 9], false], ["a2", ["tensor", [3, 3], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 3], "f64"], [0, 0], true]]}
module {
  func.func @chunk46(%arg0: tensor<3x1xf32>, %arg1: tensor<3x1x3xf32>, %arg2: tensor<3x3xf64>) -> tensor<3x3xf64> {
    %0 = linalg.batch_vecmat ins(%arg0, %arg1 : tensor<3x1xf32>, tensor<3x1x3xf32>) outs(%arg2 : tensor<3x3xf64>) -> tensor<3x3xf64>
    return %0 : tensor<3x3xf64>
  }
}
