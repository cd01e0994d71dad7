// {"kind": "linalg.depthwise_conv_1d_nwc_wc", "entry": "chunk267", "traits": [], "arguments": [["a0", ["tensor", [1, 5, 1], "i16"], [-9, 9], false], ["a1", ["tensor", [3, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 2, 1], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 1], "i16"], [0, 0], true]]}
module {
  func.func @chunk267(%arg0: tensor<1x5x1xi16>, %arg1: tensor<3x1xi16>, %arg2: tensor<1x2x1xi16>) -> tensor<1x2x1xi16> {
    %0 = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x5x1xi16>, tensor<3x1xi16>) outs(%arg2 : tensor<1x2x1xi16>) -> tensor<1x2x1xi16>
    return %0 : tensor<1x2x1xi16>
  }
}
