// {"kind": "linalg.pooling_nwc_max", "entry": "chunk129", "traits": [], "arguments": [["a0", ["tensor", [1, 1, 3], "i64"], [-9, 9], false], ["a1", ["tensor", [1], "i64"], [-9, 9], false], ["a2", ["tensor", [1, 1, 3], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 1, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk129(%arg0: tensor<1x1x3xi64>, %arg1: tensor<1xi64>, %arg2: tensor<1x1x3xi64>) -> tensor<1x1x3xi64> {
    %0 = linalg.pooling_nwc_max {dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x1x3xi64>, tensor<1xi64>) outs(%arg2 : tensor<1x1x3xi64>) -> tensor<1x1x3xi64>
    return %0 : tensor<1x1x3xi64>
  }
}
