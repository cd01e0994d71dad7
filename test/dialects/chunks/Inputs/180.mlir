// {"kind": "softmax", "entry": "chunk180", "traits": ["decomposed", "libm"], "arguments": [["a0", ["tensor", [3, 1, 2], "f32"], [0, 0], false], ["a1", ["tensor", [3, 1, 2], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [3, 1, 2], "f32"], [0, 0], true]]}
module {
  func.func @chunk180(%arg0: tensor<3x1x2xf32>, %arg1: tensor<3x1x2xf32>) -> tensor<3x1x2xf32> {
    %0 = linalg.softmax dimension(1) ins(%arg0 : tensor<3x1x2xf32>) outs(%arg1 : tensor<3x1x2xf32>) -> tensor<3x1x2xf32>
    return %0 : tensor<3x1x2xf32>
  }
}
