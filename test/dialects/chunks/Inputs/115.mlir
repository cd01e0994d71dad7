// {"kind": "linalg.pooling_ncw_sum", "entry": "chunk115", "traits": [], "arguments": [["a0", ["tensor", [1, 3, 3], "f64"], [-9, 9], false], ["a1", ["tensor", [1], "f64"], [-9, 9], false], ["a2", ["tensor", [1, 3, 2], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk115(%arg0: tensor<1x3x3xf64>, %arg1: tensor<1xf64>, %arg2: tensor<1x3x2xf64>) -> tensor<1x3x2xf64> {
    %0 = linalg.pooling_ncw_sum {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x3x3xf64>, tensor<1xf64>) outs(%arg2 : tensor<1x3x2xf64>) -> tensor<1x3x2xf64>
    return %0 : tensor<1x3x2xf64>
  }
}
