// {"kind": "linalg.pooling_nhwc_sum", "entry": "chunk127", "traits": [], "arguments": [["a0", ["tensor", [1, 7, 7, 1], "f64"], [-9, 9], false], ["a1", ["tensor", [3, 3], "f64"], [-9, 9], false], ["a2", ["tensor", [1, 3, 3, 1], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3, 3, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk127(%arg0: tensor<1x7x7x1xf64>, %arg1: tensor<3x3xf64>, %arg2: tensor<1x3x3x1xf64>) -> tensor<1x3x3x1xf64> {
    %0 = linalg.pooling_nhwc_sum {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x7x7x1xf64>, tensor<3x3xf64>) outs(%arg2 : tensor<1x3x3x1xf64>) -> tensor<1x3x3x1xf64>
    return %0 : tensor<1x3x3x1xf64>
  }
}
