// {"kind": "linalg.conv_2d_nhwc_hwcf_q", "entry": "chunk258", "traits": [], "arguments": [["a0", ["tensor", [3, 1, 3, 1], "i8"], [-9, 9], false], ["a1", ["tensor", [1, 3, 1, 1], "i8"], [-9, 9], false], ["a2", ["tensor", [], "i32"], [0, 7], false], ["a3", ["tensor", [], "i32"], [0, 7], false], ["a4", ["tensor", [3, 1, 1, 1], "i32"], [-9, 9], false]], "results": [["r0", ["tensor", [3, 1, 1, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk258(%arg0: tensor<3x1x3x1xi8>, %arg1: tensor<1x3x1x1xi8>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<3x1x1x1xi32>) -> tensor<3x1x1x1xi32> {
    %extracted = tensor.extract %arg2[] : tensor<i32>
    %extracted_0 = tensor.extract %arg3[] : tensor<i32>
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %extracted, %extracted_0 : tensor<3x1x3x1xi8>, tensor<1x3x1x1xi8>, i32, i32) outs(%arg4 : tensor<3x1x1x1xi32>) -> tensor<3x1x1x1xi32>
    return %0 : tensor<3x1x1x1xi32>
  }
}
