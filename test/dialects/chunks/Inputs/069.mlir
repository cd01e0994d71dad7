// {"kind": "linalg.conv_3d_ncdhw_fcdhw", "entry": "chunk69", "traits": [], "arguments": [["a0", ["memref", [3, 2, 5, 3, 2], "i8"], [-9, 9], false], ["a1", ["memref", [1, 2, 3, 1, 1], "i8"], [-9, 9], false], ["a2", ["memref", [3, 1, 3, 2, 2], "i32"], [-9, 9], false], ["o0", ["memref", [3, 1, 3, 2, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [3, 1, 3, 2, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk69(%arg0: memref<3x2x5x3x2xi8>, %arg1: memref<1x2x3x1x1xi8>, %arg2: memref<3x1x3x2x2xi32>, %arg3: memref<3x1x3x2x2xi32> {tilewright.output}) {
    linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<[1, 2, 1]> : tensor<3xi64>} ins(%arg0, %arg1 : memref<3x2x5x3x2xi8>, memref<1x2x3x1x1xi8>) outs(%arg2 : memref<3x1x3x2x2xi32>)
    memref.copy %arg2, %arg3 : memref<3x1x3x2x2xi32> to memref<3x1x3x2x2xi32>
    return
  }
}
