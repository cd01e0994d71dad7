// {"kind": "linalg.depthwise_conv_3d_ndhwc_dhwc", "entry": "chunk87", "traits": [], "arguments": [["a0", ["tensor", [2, 5, 5, 3, 1], "f64"], [-9, 9], false], ["a1", ["tensor", [3, 1, 1, 1], "f64"], [-9, 9], false], ["a2", ["tensor", [2, 2, 3, 3, 1], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 2, 3, 3, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk87(%arg0: tensor<2x5x5x3x1xf64>, %arg1: tensor<3x1x1x1xf64>, %arg2: tensor<2x2x3x3x1xf64>) -> tensor<2x2x3x3x1xf64> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<1> : tensor<3xi64>, strides = dense<[2, 2, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x5x5x3x1xf64>, tensor<3x1x1x1xf64>) outs(%arg2 : tensor<2x2x3x3x1xf64>) -> tensor<2x2x3x3x1xf64>
    return %0 : tensor<2x2x3x3x1xf64>
  }
}
