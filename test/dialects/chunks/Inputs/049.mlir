// {"kind": "linalg.conv_1d", "entry": "chunk49", "traits": [], "arguments": [["a0", ["tensor", [3], "f32"], [-9, 9], false], ["a1", ["tensor", [1], "f32"], [-9, 9], false], ["a2", ["tensor", [3], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [3], "f64"], [0, 0], true]]}
module {
  func.func @chunk49(%arg0: tensor<3xf32>, %arg1: tensor<1xf32>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = linalg.conv_1d ins(%arg0, %arg1 : tensor<3xf32>, tensor<1xf32>) outs(%arg2 : tensor<3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
}
