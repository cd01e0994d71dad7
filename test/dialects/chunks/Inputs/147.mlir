// {"kind": "linalg.square", "entry": "chunk147", "traits": [], "arguments": [["a0", ["tensor", [2, 1, 3], "f32"], [0, 0], false], ["a1", ["tensor", [2, 1, 3], "f32"], [0, 0], false]], "results": [["r0", ["tensor", [2, 1, 3], "f32"], [0, 0], true]]}
module {
  func.func @chunk147(%arg0: tensor<2x1x3xf32>, %arg1: tensor<2x1x3xf32>) -> tensor<2x1x3xf32> {
    %0 = linalg.square ins(%arg0 : tensor<2x1x3xf32>) outs(%arg1 : tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
    return %0 : tensor<2x1x3xf32>
  }
}
