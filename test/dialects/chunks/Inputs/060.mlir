// {"kind": "linalg.conv_2d_ngchw_gfchw_q", "entry": "chunk60", "traits": [], "arguments": [["a0", ["tensor", [3, 3, 1, 9, 5], "i8"], [-9, 9], false], ["a1", ["tensor", [3, 3, 1, 3, 1], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [], "i32"], [0, 7], false], ["a4", ["tensor", [3, 3, 3, 3, 3], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 3, 3, 3, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk60(%arg0: tensor<3x3x1x9x5xi8>, %arg1: tensor<3x3x1x3x1xi8>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<3x3x3x3x3xi32>) -> tensor<3x3x3x3x3xi32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %extracted_0 = tensor.extract %arg3[] : tensor<i32>
    %0 = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %extracted, %extracted_0 : tensor<3x3x1x9x5xi8>, tensor<3x3x1x3x1xi8>, i32, i32) outs(%arg4 : tensor<3x3x3x3x3xi32>) -> tensor<3x3x3x3x3xi32>
    return %0 : tensor<3x3x3x3x3xi32>
  }
}
