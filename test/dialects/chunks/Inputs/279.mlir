// {"kind": "linalg.depthwise_conv_3d_ndhwc_dhwc", "entry": "chunk279", "traits": [], "arguments": [["a0", ["tensor", [2, 3, 6, 6, 2], "i16"], [-9, 9], false], ["a1", ["tensor", [1, 2, 3, 2], "i16"], [-9, 9], false], ["a2", ["tensor", [2, 3, 3, 2, 2], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 3, 3, 2, 2], "i16"], [0, 0], true]]}
module {
  func.func @chunk279(%arg0: tensor<2x3x6x6x2xi16>, %arg1: tensor<1x2x3x2xi16>, %arg2: tensor<2x3x3x2x2xi16>) -> tensor<2x3x3x2x2xi16> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<[1, 1, 2]> : tensor<3xi64>, strides = dense<[1, 2, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x3x6x6x2xi16>, tensor<1x2x3x2xi16>) outs(%arg2 : tensor<2x3x3x2x2xi16>) -> tensor<2x3x3x2x2xi16>
    return %0 : tensor<2x3x3x2x2xi16>
  }
}
