// {"kind": "linalg.depthwise_conv_2d_nhwc_hwc", "entry": "chunk271", "traits": [], "arguments": [["a0", ["memref", [3, 1, 7, 2], "i8"], [-9, 9], false], ["a1", ["memref", [1, 3, 2], "i8"], [-9, 9], false], ["a2", ["memref", [3, 1, 2, 2], "i32"], [-9, 9], false], ["o0", ["memref", [3, 1, 2, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [3, 1, 2, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk271(%arg0: memref<3x1x7x2xi8>, %arg1: memref<1x3x2xi8>, %arg2: memref<3x1x2x2xi32>, %arg3: memref<3x1x2x2xi32> {tilewright.output}) {
    linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : memref<3x1x7x2xi8>, memref<1x3x2xi8>) outs(%arg2 : memref<3x1x2x2xi32>)
    memref.copy %arg2, %arg3 : memref<3x1x2x2xi32> to memref<3x1x2x2xi32>
    return
  }
}
