// {"kind": "linalg.depthwise_conv_2d_nhwc_hwcm", "entry": "chunk274", "traits": [], "arguments": [["a0", ["tensor", [1, 5, 1, 3], "f64"], [-9, 9], false], ["a1", ["tensor", [2, 1, 3, 2], "f64"], [-9, 9], false], ["a2", ["tensor", [1, 2, 1, 3, 2], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 1, 3, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk274(%arg0: tensor<1x5x1x3xf64>, %arg1: tensor<2x1x3x2xf64>, %arg2: tensor<1x2x1x3x2xf64>) -> tensor<1x2x1x3x2xf64> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x5x1x3xf64>, tensor<2x1x3x2xf64>) outs(%arg2 : tensor<1x2x1x3x2xf64>) -> tensor<1x2x1x3x2xf64>
    return %0 : tensor<1x2x1x3x2xf64>
  }
}
