// {"kind": "linalg.round", "entry": "chunk142", "traits": [], "arguments": [["a0", ["tensor", [2, 1], "f64"], [0, 0], false], ["a1", ["tensor", [2, 1], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [2, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk142(%arg0: tensor<2x1xf64>, %arg1: tensor<2x1xf64>) -> tensor<2x1xf64> {
    %0 = linalg.round ins(%arg0 : tensor<2x1xf64>) outs(%arg1 : tensor<2x1xf64>) -> tensor<2x1xf64>
    return %0 : tensor<2x1xf64>
  }
}
