// {"kind": "linalg.pooling_nhwc_max_unsigned", "entry": "chunk123", "traits": [], "arguments": [["a0", ["tensor", [1, 3, 1, 2], "i16"], [-9, 9], false], ["a1", ["tensor", [2, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 2, 1, 2], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 1, 2], "i16"], [0, 0], true]]}
module {
  func.func @chunk123(%arg0: tensor<1x3x1x2xi16>, %arg1: tensor<2x1xi16>, %arg2: tensor<1x2x1x2xi16>) -> tensor<1x2x1x2xi16> {
    %0 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x3x1x2xi16>, tensor<2x1xi16>) outs(%arg2 : tensor<1x2x1x2xi16>) -> tensor<1x2x1x2xi16>
    return %0 : tensor<1x2x1x2xi16>
  }
}
