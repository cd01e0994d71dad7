// {"kind": "linalg.log", "entry": "chunk292", "traits": ["libm"], "arguments": [["a0", ["tensor", [3, 3], "f32"], [0, 0], false], ["a1", ["tensor", [3, 3], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [3, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk292(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = linalg.log ins(%arg0 : tensor<3x3xf32>) outs(%arg1 : tensor<3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
