// {"kind": "linalg.depthwise_conv_1d_nwc_wcm", "entry": "chunk76", "traits": [], "arguments": [["a0", ["tensor", [2, 1, 2], "i8"], [-9, 9], false], ["a1", ["tensor", [1, 2, 2], "i16"], [-9, 9], false], ["a2", ["tensor", [2, 1, 2, 2], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 1, 2, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk76(%arg0: tensor<2x1x2xi8>, %arg1: tensor<1x2x2xi16>, %arg2: tensor<2x1x2x2xi32>) -> tensor<2x1x2x2xi32> {
    %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x1x2xi8>, tensor<1x2x2xi16>) outs(%arg2 : tensor<2x1x2x2xi32>) -> tensor<2x1x2x2xi32>
    return %0 : tensor<2x1x2x2xi32>
  }
}
