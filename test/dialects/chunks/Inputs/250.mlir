// {"kind": "linalg.conv_2d_ngchw_gfchw", "entry": "chunk250", "traits": [], "arguments": [["a0", ["memref", [3, 2, 1, 2, 7], "i8"], [-9, 9], false], ["a1", ["memref", [2, 2, 1, 2, 3], "i16"], [-9, 9], false], ["a2", ["memref", [3, 2, 2, 1, 2], "i32"], [-9, 9], false], ["o0", ["memref", [3, 2, 2, 1, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [3, 2, 2, 1, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk250(%arg0: memref<3x2x1x2x7xi8>, %arg1: memref<2x2x1x2x3xi16>, %arg2: memref<3x2x2x1x2xi32>, %arg3: memref<3x2x2x1x2xi32> {tilewright.output}) {
    linalg.conv_2d_ngchw_gfchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : memref<3x2x1x2x7xi8>, memref<2x2x1x2x3xi16>) outs(%arg2 : memref<3x2x2x1x2xi32>)
    memref.copy %arg2, %arg3 : memref<3x2x2x1x2xi32> to memref<3x2x2x1x2xi32>
    return
  }
}
