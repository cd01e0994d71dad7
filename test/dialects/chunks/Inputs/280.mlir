// {"kind": "linalg.depthwise_conv_3d_ndhwc_dhwcm", "entry": "chunk280", "traits": [], "arguments": [["a0", ["tensor", [1, 4, 3, 5, 1], "i16"], [-9, 9], false], ["a1", ["tensor", [2, 1, 3, 1, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 2, 3, 3, 1, 1], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 3, 3, 1, 1], "i16"], [0, 0], true]]}
module {
  func.func @chunk280(%arg0: tensor<1x4x3x5x1xi16>, %arg1: tensor<2x1x3x1x1xi16>, %arg2: tensor<1x2x3x3x1x1xi16>) -> tensor<1x2x3x3x1x1xi16> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<[1, 2, 1]> : tensor<3xi64>, strides = dense<[2, 1, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<1x4x3x5x1xi16>, tensor<2x1x3x1x1xi16>) outs(%arg2 : tensor<1x2x3x3x1x1xi16>) -> tensor<1x2x3x3x1x1xi16>
    return %0 : tensor<1x2x3x3x1x1xi16>
  }
}
