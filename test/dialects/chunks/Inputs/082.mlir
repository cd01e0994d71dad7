// {"kind": "linalg.depthwise_conv_2d_nhwc_hwcm", "entry": "chunk82", "traits": [], "arguments": [["a0", ["tensor", [3, 5, 2, 3], "f64"], [-9, 9], false], ["a1", ["tensor", [3, 1, 3, 1], "f64"], [-9, 9], false], ["a2", ["tensor", [3, 3, 2, 3, 1], "f64"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 3, 2, 3, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk82(%arg0: tensor<3x5x2x3xf64>, %arg1: tensor<3x1x3x1xf64>, %arg2: tensor<3x3x2x3x1xf64>) -> tensor<3x3x2x3x1xf64> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<3x5x2x3xf64>, tensor<3x1x3x1xf64>) outs(%arg2 : tensor<3x3x2x3x1xf64>) -> tensor<3x3x2x3x1xf64>
    return %0 : tensor<3x3x2x3x1xf64>
  }
}
