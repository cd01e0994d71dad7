// {"kind": "linalg.depthwise_conv_2d_nhwc_hwcm_q", "entry": "chunk84", "traits": [], "arguments": [["a0", ["memref", [2, 9, 7, 1], "i8"], [-9, 9], false], ["a1", ["memref", [3, 2, 1, 3], "i8"], [-9, 9], false], ["a2", "i32", [0, 7], false], ["a3", "i32", [0, 7], false], ["a4", ["memref", [2, 3, 3, 1, 3], "i32"], [-9, 9], false], ["o0", ["memref", [2, 3, 3, 1, 3], "i32"], [0, 0], true]], "results": [["o0", ["memref", [2, 3, 3, 1, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk84(%arg0: memref<2x9x7x1xi8>, %arg1: memref<3x2x1x3xi8>, %arg2: i32, %arg3: i32, %arg4: memref<2x3x3x1x3xi32>, %arg5: memref<2x3x3x1x3xi32> {tilewright.output}) {
    linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : memref<2x9x7x1xi8>, memref<3x2x1x3xi8>, i32, i32) outs(%arg4 : memref<2x3x3x1x3xi32>)
    memref.copy %arg4, %arg5 : memref<2x3x3x1x3xi32> to memref<2x3x3x1x3xi32>
    return
  }
}
