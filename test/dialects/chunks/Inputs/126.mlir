// {"kind": "linalg.pooling_nhwc_min_unsigned", "entry": "chunk126", "traits": [], "arguments": [["a0", ["tensor", [1, 3, 5, 1], "i64"], [-9, 9], false], ["a1", ["tensor", [2, 1], "i64"], [-9, 9], false], ["a2", ["tensor", [1, 1, 3, 1], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 1, 3, 1], "i64"], [0, 0], true]]}
module {
  func.func @chunk126(%arg0: tensor<1x3x5x1xi64>, %arg1: tensor<2x1xi64>, %arg2: tensor<1x1x3x1xi64>) -> tensor<1x1x3x1xi64> {
    %0 = linalg.pooling_nhwc_min_unsigned {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x3x5x1xi64>, tensor<2x1xi64>) outs(%arg2 : tensor<1x1x3x1xi64>) -> tensor<1x1x3x1xi64>
    return %0 : tensor<1x1x3x1xi64>
  }
}
