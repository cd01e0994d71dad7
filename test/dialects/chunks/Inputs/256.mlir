// {"kind": "linalg.conv_2d_nhwc_hwcf", "entry": "chunk256", "traits": [], "arguments": [["a0", ["memref", [2, 3, 5, 3], "f32"], [-9, 9], false], ["a1", ["memref", [1, 3, 3, 2], "f32"], [-9, 9], false], ["a2", ["memref", [2, 2, 1, 2], "f64"], [-9, 9], false], ["o0", ["memref", [2, 2, 1, 2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [2, 2, 1, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk256(%arg0: memref<2x3x5x3xf32>, %arg1: memref<1x3x3x2xf32>, %arg2: memref<2x2x1x2xf64>, %arg3: memref<2x2x1x2xf64> {tilewright.output}) {
    linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : memref<2x3x5x3xf32>, memref<1x3x3x2xf32>) outs(%arg2 : memref<2x2x1x2xf64>)
    memref.copy %arg2, %arg3 : memref<2x2x1x2xf64> to memref<2x2x1x2xf64>
    return
  }
}
