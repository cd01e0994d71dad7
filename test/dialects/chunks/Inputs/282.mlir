// {"kind": "linalg.div", "entry": "chunk282", "traits": [], "arguments": [["a0", ["tensor", [2], "f32"], [0, 0], false], ["a1", ["tensor", [2], "f32"], [0, 0], false], ["a2", ["tensor", [2], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2], "f32"], [0, 0], true]]}
module {
  func.func @chunk282(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<2xf32>, tensor<2xf32>) outs(%arg2 : tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
