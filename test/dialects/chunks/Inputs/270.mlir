// {"kind": "linalg.depthwise_conv_2d_nchw_chw", "entry": "chunk270", "traits": [], "arguments": [["a0", ["tensor", [2, 1, 5, 1], "i32"], [-9, 9], false], ["a1", ["tensor", [1, 2, 1], "i32"], [-9, 9], false], ["a2", ["tensor", [2, 1, 2, 1], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 1, 2, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk270(%arg0: tensor<2x1x5x1xi32>, %arg1: tensor<1x2x1xi32>, %arg2: tensor<2x1x2x1xi32>) -> tensor<2x1x2x1xi32> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x1x5x1xi32>, tensor<1x2x1xi32>) outs(%arg2 : tensor<2x1x2x1xi32>) -> tensor<2x1x2x1xi32>
    return %0 : tensor<2x1x2x1xi32>
  }
}
