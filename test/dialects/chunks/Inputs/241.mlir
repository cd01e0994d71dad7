// {"kind": "linalg.conv_1d", "entry": "chunk241", "traits": [], "arguments": [["a0", ["tensor", [5], "f32"], [-9, 9], false], ["a1", ["tensor", [2], "f32"], [-9, 9], false], ["a2", ["tensor", [3], "f32"], [-9, 9], false]], "results": [["r0", ["tensor", [3], "f32"], [0, 0], true]]}
module {
  func.func @chunk241(%arg0: tensor<5xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = linalg.conv_1d ins(%arg0, %arg1 : tensor<5xf32>, tensor<2xf32>) outs(%arg2 : tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
