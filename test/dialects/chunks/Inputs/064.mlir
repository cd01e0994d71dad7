// {"kind": "linalg.conv_2d_nhwc_hwcf", "entry": "chunk64", "traits": [], "arguments": [["a0", ["memref", [3, 3, 3, 2], "f32"], [-9, 9], false], ["a1", ["memref", [2, 1, 2, 2], "f32"], [-9, 9], false], ["a2", ["memref", [3, 1, 2, 2], "f64"], [-9, 9], false], ["o0", ["memref", [3, 1, 2, 2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [3, 1, 2, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk64(%arg0: memref<3x3x3x2xf32>, %arg1: memref<2x1x2x2xf32>, %arg2: memref<3x1x2x2xf64>, %arg3: memref<3x1x2x2xf64> {tilewright.output}) {
    linalg.conv_2d_nhwc_hwcf {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1 : memref<3x3x3x2xf32>, memref<2x1x2x2xf32>) outs(%arg2 : memref<3x1x2x2xf64>)
    memref.copy %arg2, %arg3 : memref<3x1x2x2xf64> to memref<3x1x2x2xf64>
    return
  }
}
