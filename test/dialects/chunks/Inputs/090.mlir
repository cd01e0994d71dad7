// {"kind": "linalg.div", "entry": "chunk90", "traits": [], "arguments": [["a0", ["tensor", [2], "f64"], [0, 0], false], ["a1", ["tensor", [2], "f64"], [0, 0], false], ["a2", ["tensor", [2], "f64"], [0, 0], false]], "results": [["r0", ["tensor", [2], "f64"], [0, 0], true]]}
module {
  func.func @chunk90(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) -> tensor<2xf64> {
    %0 = linalg.div ins(%arg0, %arg1 : tensor<2xf64>, tensor<2xf64>) outs(%arg2 : tensor<2xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
}
