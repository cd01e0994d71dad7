// {"kind": "linalg.depthwise_conv_1d_nwc_wcm", "entry": "chunk268", "traits": [], "arguments": [["a0", ["tensor", [1, 5, 1], "i8"], [-9, 9], false], ["a1", ["tensor", [3, 1, 1], "i16"], [-9, 9], false], ["a2", ["tensor", [1, 3, 1, 1], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 3, 1, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk268(%arg0: tensor<1x5x1xi8>, %arg1: tensor<3x1x1xi16>, %arg2: tensor<1x3x1x1xi32>) -> tensor<1x3x1x1xi32> {
    %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<1x5x1xi8>, tensor<3x1x1xi16>) outs(%arg2 : tensor<1x3x1x1xi32>) -> tensor<1x3x1x1xi32>
    return %0 : tensor<1x3x1x1xi32>
  }
}
