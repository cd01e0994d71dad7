// {"kind": "linalg.vecmat", "entry": "chunk150", "traits": [], "arguments": [["a0", ["tensor", [1], "i16"], [-9, 9], false], ["a1", ["tensor", [1, 3], "i16"], [-9, 9], false], ["a2", ["tensor", [3], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [3], "i64"], [0, 0], true]]}
module {
  func.func @chunk150(%arg0: tensor<1xi16>, %arg1: tensor<1x3xi16>, %arg2: tensor<3xi64>) -> tensor<3xi64> {
    %0 = linalg.vecmat ins(%arg0, %arg1 : tensor<1xi16>, tensor<1x3xi16>) outs(%arg2 : tensor<3xi64>) -> tensor<3xi64>
    return %0 : tensor<3xi64>
  }
}
