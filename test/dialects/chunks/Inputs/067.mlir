// {"kind": "linalg.conv_3d", "entry": "chunk67", "traits": [], "arguments": [["a0", ["tensor", [7, 5, 7], "i16"], [-9, 9], false], ["a1", ["tensor", [3, 3, 2], "i16"], [-9, 9], false], ["a2", ["tensor", [2, 3, 3], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 3, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk67(%arg0: tensor<7x5x7xi16>, %arg1: tensor<3x3x2xi16>, %arg2: tensor<2x3x3xi64>) -> tensor<2x3x3xi64> {
    %0 = linalg.conv_3d ins(%arg0, %arg1 : tensor<7x5x7xi16>, tensor<3x3x2xi16>) outs(%arg2 : tensor<2x3x3xi64>) -> tensor<2x3x3xi64>
    return %0 : tensor<2x3x3xi64>
  }
}
