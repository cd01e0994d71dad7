// {"kind": "linalg.conv_2d_ngchw_gfchw_q", "entry": "chunk252", "traits": [], "arguments": [["a0", ["tensor", [2, 3, 1, 4, 4], "i8"], [-9, 9], false], ["a1", ["tensor", [3, 3, 1, 3, 2], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [], "i32"], [0, 7], false], ["a4", ["tensor", [2, 3, 3, 2, 2], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 3, 3, 2, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk252(%arg0: tensor<2x3x1x4x4xi8>, %arg1: tensor<3x3x1x3x2xi8>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<2x3x3x2x2xi32>) -> tensor<2x3x3x2x2xi32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %extracted_0 = tensor.extract %arg3[] : tensor<i32>
    %0 = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %extracted, %extracted_0 : tensor<2x3x1x4x4xi8>, tensor<3x3x1x3x2xi8>, i32, i32) outs(%arg4 : tensor<2x3x3x2x2xi32>) -> tensor<2x3x3x2x2xi32>
    return %0 : tensor<2x3x3x2x2xi32>
  }
}
