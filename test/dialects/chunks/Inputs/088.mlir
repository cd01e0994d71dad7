// {"kind": "linalg.depthwise_conv_3d_ndhwc_dhwcm", "entry": "chunk88", "traits": [], "arguments": [["a0", ["tensor", [3, 5, 3, 1, 1], "f64"], [-9, 9], false], ["a1", ["tensor", [3, 2, 1, 1, 2], "f64"], [-9, 9], false], ["a2", ["tensor", [3, 2, 1, 1, 1, 2], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 2, 1, 1, 1, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk88(%arg0: tensor<3x5x3x1x1xf64>, %arg1: tensor<3x2x1x1x2xf64>, %arg2: tensor<3x2x1x1x1x2xf64>) -> tensor<3x2x1x1x1x2xf64> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<[1, 2, 2]> : tensor<3xi64>, strides = dense<[2, 2, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<3x5x3x1x1xf64>, tensor<3x2x1x1x2xf64>) outs(%arg2 : tensor<3x2x1x1x1x2xf64>) -> tensor<3x2x1x1x1x2xf64>
    return %0 : tensor<3x2x1x1x1x2xf64>
  }
}
