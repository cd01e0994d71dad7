// {"kind": "selected", "entry": "chunk175", "traits": [], "arguments": [["a0", ["tensor", [3, 3], "i1"], [0, 0], false], ["a1", ["tensor", [3, 3], "f32"], [0, 0], false], ["a2", ["tensor", [3, 3], "f32"], [0, 0], false], ["a3", ["tensor", [3, 3], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [3, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk175(%arg0: tensor<3x3xi1>, %arg1: tensor<3x3xf32>, %arg2: tensor<3x3xf32>, %arg3: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = linalg.select ins(%arg0, %arg1, %arg2 : tensor<3x3xi1>, tensor<3x3xf32>, tensor<3x3xf32>) outs(%arg3 : tensor<3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
