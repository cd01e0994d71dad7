// {"kind": "linalg.depthwise_conv_2d_nhwc_hwc_q", "entry": "chunk81", "traits": [], "arguments": [["a0", ["memref", [1, 5, 3, 2], "i8"], [-9, 9], false], ["a1", ["memref", [3, 2, 2], "i8"], [-9, 9], false], ["a2", "i32", [0, 7], false], ["a3", "i32", [0, 7], false], ["a4", ["memref", [1, 3, 1, 2], "i32"], [-9, 9], false], ["o0", ["memref", [1, 3, 1, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [1, 3, 1, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk81(%arg0: memref<1x5x3x2xi8>, %arg1: memref<3x2x2xi8>, %arg2: i32, %arg3: i32, %arg4: memref<1x3x1x2xi32>, %arg5: memref<1x3x1x2xi32> {tilewright.output}) {
    linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : memref<1x5x3x2xi8>, memref<3x2x2xi8>, i32, i32) outs(%arg4 : memref<1x3x1x2xi32>)
    memref.copy %arg4, %arg5 : memref<1x3x1x2xi32> to memref<1x3x1x2xi32>
    return
  }
}
