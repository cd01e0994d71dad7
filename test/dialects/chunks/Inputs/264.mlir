// {"kind": "linalg.conv_3d_ndhwc_dhwcf_q", "entry": "chunk264", "traits": [], "arguments": [["a0", ["tensor", [1, 3, 5, 3, 2], "i8"], [-9, 9], false], ["a1", ["tensor", [1, 1, 1, 2, 3], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [], "i32"], [0, 7], false], ["a4", ["tensor", [1, 2, 3, 2, 3], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [1, 2, 3, 2, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk264(%arg0: tensor<1x3x5x3x2xi8>, %arg1: tensor<1x1x1x2x3xi8>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<1x2x3x2x3xi32>) -> tensor<1x2x3x2x3xi32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %extracted_0 = tensor.extract %arg3[] : tensor<i32>
    %0 = linalg.conv_3d_ndhwc_dhwcf_q {dilations = dense<2> : tensor<3xi64>, strides = dense<2> : tensor<3xi64>} ins(%arg0, %arg1, %extracted, %extracted_0 : tensor<1x3x5x3x2xi8>, tensor<1x1x1x2x3xi8>, i32, i32) outs(%arg4 : tensor<1x2x3x2x3xi32>) -> tensor<1x2x3x2x3xi32>
    return %0 : tensor<1x2x3x2x3xi32>
  }
}
