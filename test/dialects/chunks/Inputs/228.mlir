// {"kind": "linalg.abs", "entry": "chunk228", "traits": [], "arguments": [["a0", ["tensor", [3, 1, 3], "f64"], [0, 0], false], ["a1", ["tensor", [3, 1, 3], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [3, 1, 3], "f64"], [0, 0], true]]}
module {
  func.func @chunk228(%arg0: tensor<3x1x3xf64>, %arg1: tensor<3x1x3xf64>) -> tensor<3x1x3xf64> {
    %0 = linalg.abs ins(%arg0 : tensor<3x1x3xf64>) outs(%arg1 : tensor<3x1x3xf64>) -> tensor<3x1x3xf64>
    return %0 : tensor<3x1x3xf64>
  }
}
