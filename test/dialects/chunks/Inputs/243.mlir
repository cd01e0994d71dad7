// {"kind": "linalg.conv_1d_ncw_fcw", "entry": "chunk243", "traits": [], "arguments": [["a0", ["tensor", [3, 2, 7], "i32"], [-9, 9], false], ["a1", ["tensor", [3, 2, 2], "i32"], [-9, 9], false], ["a2", ["tensor", [3, 3, 3], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 3, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk243(%arg0: tensor<3x2x7xi32>, %arg1: tensor<3x2x2xi32>, %arg2: tensor<3x3x3xi32>) -> tensor<3x3x3xi32> {
    %0 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<3x2x7xi32>, tensor<3x2x2xi32>) outs(%arg2 : tensor<3x3x3xi32>) -> tensor<3x3x3xi32>
    return %0 : tensor<3x3x3xi32>
  }
}
