// {"kind": "linalg.pooling_ndhwc_max", "entry": "chunk117", "traits": [], "arguments": [["a0", ["tensor", [1, 4, 2, 3, 3], "i16"], [-9, 9], false], ["a1", ["tensor", [3, 1, 2], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 2, 2, 1, 3], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 2, 1, 3], "i16"], [0, 0], true]]}
module {
  func.func @chunk117(%arg0: tensor<1x4x2x3x3xi16>, %arg1: tensor<3x1x2xi16>, %arg2: tensor<1x2x2x1x3xi16>) -> tensor<1x2x2x1x3xi16> {
    %0 = linalg.pooling_ndhwc_max {dilations = dense<[1, 1, 2]> : tensor<3xi64>, strides = dense<[1, 1, 2]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<1x4x2x3x3xi16>, tensor<3x1x2xi16>) outs(%arg2 : tensor<1x2x2x1x3xi16>) -> tensor<1x2x2x1x3xi16>
    return %0 : tensor<1x2x2x1x3xi16>
  }
}
