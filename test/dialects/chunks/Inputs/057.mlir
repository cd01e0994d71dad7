// {"kind": "linalg.conv_2d_ngchw_fgchw", "entry": "chunk57", "traits": [], "arguments": [["a0", ["tensor", [1, 1, 3, 3, 4], "i8"], [-9, 9], false], ["a1", ["tensor", [1, 1, 3, 2, 3], "i8"], [-9, 9], false], ["a2", ["tensor", [1, 1, 1, 1, 2], "i8"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 1, 1, 1, 2], "i8"], [0, 0], true]]}
module {
  func.func @chunk57(%arg0: tensor<1x1x3x3x4xi8>, %arg1: tensor<1x1x3x2x3xi8>, %arg2: tensor<1x1x1x1x2xi8>) -> tensor<1x1x1x1x2xi8> {
    %0 = linalg.conv_2d_ngchw_fgchw {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x1x3x3x4xi8>, tensor<1x1x3x2x3xi8>) outs(%arg2 : tensor<1x1x1x1x2xi8>) -> tensor<1x1x1x1x2xi8>
    return %0 : tensor<1x1x1x1x2xi8>
  }
}
