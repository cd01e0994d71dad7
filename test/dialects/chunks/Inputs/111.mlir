// {"kind": "linalg.pooling_nchw_max", "entry": "chunk111", "traits": [], "arguments": [["a0", ["tensor", [3, 2, 5, 1], "i8"], [-9, 9], false], ["a1", ["tensor", [2, 1], "i8"], [-9, 9], false], ["a2", ["tensor", [3, 2, 3, 1], "i8"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 2, 3, 1], "i8"], [0, 0], true]]}
module {
  func.func @chunk111(%arg0: tensor<3x2x5x1xi8>, %arg1: tensor<2x1xi8>, %arg2: tensor<3x2x3x1xi8>) -> tensor<3x2x3x1xi8> {
    %0 = linalg.pooling_nchw_max {dilations = dense<2> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<3x2x5x1xi8>, tensor<2x1xi8>) outs(%arg2 : tensor<3x2x3x1xi8>) -> tensor<3x2x3x1xi8>
    return %0 : tensor<3x2x3x1xi8>
  }
}
