// {"kind": "linalg.conv_2d_nhwc_fhwc", "entry": "chunk61", "traits": [], "arguments": [["a0", ["memref", [3, 2, 4, 3], "f32"], [-9, 9], false], ["a1", ["memref", [3, 1, 2, 3], "f32"], [-9, 9], false], ["a2", ["memref", [3, 2, 2, 3], "f64"], [-9, 9], false], ["o0", ["memref", [3, 2, 2, 3], "f64"], [0, 0], true]], "results": [["o0", ["memref", [3, 2, 2, 3], "f64"], [0, 0], true]]}
module {
  func.func @chunk61(%arg0: memref<3x2x4x3xf32>, %arg1: memref<3x1x2x3xf32>, %arg2: memref<3x2x2x3xf64>, %arg3: memref<3x2x2x3xf64> {tilewright.output}) {
    linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : memref<3x2x4x3xf32>, memref<3x1x2x3xf32>) outs(%arg2 : memref<3x2x2x3xf64>)
    memref.copy %arg2, %arg3 : memref<3x2x2x3xf64> to memref<3x2x2x3xf64>
    return
  }
}
