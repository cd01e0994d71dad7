// {"kind": "linalg.negf", "entry": "chunk109", "traits": [], "arguments": [["a0", ["tensor", [2, 3, 2], "f64"], [0, 0], false], ["a1", ["tensor", [2, 3, 2], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [2, 3, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk109(%arg0: tensor<2x3x2xf64>, %arg1: tensor<2x3x2xf64>) -> tensor<2x3x2xf64> {
    %0 = linalg.negf ins(%arg0 : tensor<2x3x2xf64>) outs(%arg1 : tensor<2x3x2xf64>) -> tensor<2x3x2xf64>
    return %0 : tensor<2x3x2xf64>
  }
}
