// {"kind": "linalg.conv_3d_ndhwc_dhwcf", "entry": "chunk262", "traits": [], "arguments": [["a0", ["memref", [3, 2, 4, 5, 1], "i64"], [-9, 9], false], ["a1", ["memref", [1, 3, 1, 1, 2], "i64"], [-9, 9], false], ["a2", ["memref", [3, 2, 2, 3, 2], "i64"], [-9, 9], false], ["o0", ["memref", [3, 2, 2, 3, 2], "i64"], [0, 0], true]], "results": [["o0", ["memref", [3, 2, 2, 3, 2], "i64"], [0, 0], true]]}
module {
  func.func @chunk262(%arg0: memref<3x2x4x5x1xi64>, %arg1: memref<1x3x1x1x2xi64>, %arg2: memref<3x2x2x3x2xi64>, %arg3: memref<3x2x2x3x2xi64> {tilewright.output}) {
    linalg.conv_3d_ndhwc_dhwcf {dilations = dense<[1, 1, 2]> : tensor<3xi64>, strides = dense<[1, 1, 2]> : tensor<3xi64>} ins(%arg0, %arg1 : memref<3x2x4x5x1xi64>, memref<1x3x1x1x2xi64>) outs(%arg2 : memref<3x2x2x3x2xi64>)
    memref.copy %arg2, %arg3 : memref<3x2x2x3x2xi64> to memref<3x2x2x3x2xi64>
    return
  }
}
