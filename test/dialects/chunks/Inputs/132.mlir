// {"kind": "linalg.pooling_nwc_min", "entry": "chunk132", "traits": [], "arguments": [["a0", ["tensor", [1, 2, 3], "i16"], [-9, 9], false], ["a1", ["tensor", [2], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 1, 3], "i16"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 1, 3], "i16"], [0, 0], true]]}
module {
  func.func @chunk132(%arg0: tensor<1x2x3xi16>, %arg1: tensor<2xi16>, %arg2: tensor<1x1x3xi16>) -> tensor<1x1x3xi16> {
    %0 = linalg.pooling_nwc_min {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x2x3xi16>, tensor<2xi16>) outs(%arg2 : tensor<1x1x3xi16>) -> tensor<1x1x3xi16>
    return %0 : tensor<1x1x3xi16>
  }
}
