// {"kind": "linalg.conv_3d", "entry": "chunk259", "traits": [], "arguments": [["a0", ["tensor", [5, 5, 1], "i16"], [-9, 9], false], ["a1", ["tensor", [3, 2, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [3, 3, 1], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 3, 1], "i64"], [0, 0], true]]}
module {
  func.func @chunk259(%arg0: tensor<5x5x1xi16>, %arg1: tensor<3x2x1xi16>, %arg2: tensor<3x3x1xi64>) -> tensor<3x3x1xi64> {
    %0 = linalg.conv_3d ins(%arg0, %arg1 : tensor<5x5x1xi16>, tensor<3x2x1xi16>) outs(%arg2 : tensor<3x3x1xi64>) -> tensor<3x3x1xi64>
    return %0 : tensor<3x3x1xi64>
  }
}
