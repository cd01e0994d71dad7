// {"kind": "linalg.depthwise_conv_2d_nchw_chw", "entry": "chunk78", "traits": [], "arguments": [["a0", ["tensor", [2, 2, 7, 6], "i16"], [-9, 9], false], ["a1", ["tensor", [2, 3, 3], "i16"], [-9, 9], false], ["a2", ["tensor", [2, 2, 2, 2], "i64"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 2, 2, 2], "i64"], [0, 0], true]]}
module {
  func.func @chunk78(%arg0: tensor<2x2x7x6xi16>, %arg1: tensor<2x3x3xi16>, %arg2: tensor<2x2x2x2xi64>) -> tensor<2x2x2x2xi64> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<2> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x2x7x6xi16>, tensor<2x3x3xi16>) outs(%arg2 : tensor<2x2x2x2xi64>) -> tensor<2x2x2x2xi64>
    return %0 : tensor<2x2x2x2xi64>
  }
}
