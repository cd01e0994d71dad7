// {"kind": "linalg.conv_2d_nhwc_fhwc_q", "entry": "chunk255", "traits": [], "arguments": [["a0", ["tensor", [2, 4, 5, 1], "i8"], [-9, 9], false], ["a1", ["tensor", [2, 2, 1, 1], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [], "i32"], [0, 7], false], ["a4", ["tensor", [2, 3, 3, 2], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [2, 3, 3, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk255(%arg0: tensor<2x4x5x1xi8>, %arg1: tensor<2x2x1x1xi8>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<2x3x3x2xi32>) -> tensor<2x3x3x2xi32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %extracted_0 = tensor.extract %arg3[] : tensor<i32>
    %0 = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1, %extracted, %extracted_0 : tensor<2x4x5x1xi8>, tensor<2x2x1x1xi8>, i32, i32) outs(%arg4 : tensor<2x3x3x2xi32>) -> tensor<2x3x3x2xi32>
    return %0 : tensor<2x3x3x2xi32>
  }
}
