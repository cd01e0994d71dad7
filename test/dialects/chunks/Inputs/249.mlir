// {"kind": "linalg.conv_2d_ngchw_fgchw", "entry": "chunk249", "traits": [], "arguments": [["a0", ["tensor", [2, 2, 1, 7, 2], "i16"], [-9, 9], false], ["a1", ["tensor", [2, 2, 1, 2, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [2, 2, 2, 3, 2], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 2, 2, 3, 2], "i16"], [0, 0], true]]}
module {
  func.func @chunk249(%arg0: tensor<2x2x1x7x2xi16>, %arg1: tensor<2x2x1x2x1xi16>, %arg2: tensor<2x2x2x3x2xi16>) -> tensor<2x2x2x3x2xi16> {
    %0 = linalg.conv_2d_ngchw_fgchw {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x2x1x7x2xi16>, tensor<2x2x1x2x1xi16>) outs(%arg2 : tensor<2x2x2x3x2xi16>) -> tensor<2x2x2x3x2xi16>
    return %0 : tensor<2x2x2x3x2xi16>
  }
}
