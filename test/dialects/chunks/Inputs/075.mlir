// {"kind": "linalg.depthwise_conv_1d_nwc_wc", "entry": "chunk75", "traits": [], "arguments": [["a0", ["tensor", [1, 4, 2], "i16"], [-9, 9], false], ["a1", ["tensor", [2, 2], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 3, 2], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3, 2], "i64"], [0, 0], true]]}
module {
  func.func @chunk75(%arg0: tensor<1x4x2xi16>, %arg1: tensor<2x2xi16>, %arg2: tensor<1x3x2xi64>) -> tensor<1x3x2xi64> {
    %0 = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x4x2xi16>, tensor<2x2xi16>) outs(%arg2 : tensor<1x3x2xi64>) -> tensor<1x3x2xi64>
    return %0 : tensor<1x3x2xi64>
  }
}
