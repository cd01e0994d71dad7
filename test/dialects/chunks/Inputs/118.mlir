// {"kind": "linalg.pooling_ndhwc_min", "entry": "chunk118", "traits": [], "arguments": [["a0", ["memref", [1, 3, 3, 3, 3], "i32"], [-9, 9], false], ["a1", ["memref", [3, 1, 2], "i32"], [-9, 9], false], ["a2", ["memref", [1, 1, 3, 1, 3], "i32"], [-9, 9], false], ["o0", ["memref", [1, 1, 3, 1, 3], "i32"], [0, 0], true]], "results": [["o0", ["memref", [1, 1, 3, 1, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk118(%arg0: memref<1x3x3x3x3xi32>, %arg1: memref<3x1x2xi32>, %arg2: memref<1x1x3x1x3xi32>, %arg3: memref<1x1x3x1x3xi32> {tilewright.output}) {
    linalg.pooling_ndhwc_min {dilations = dense<[1, 1, 2]> : tensor<3xi64>, strides = dense<[1, 1, 2]> : tensor<3xi64>} ins(%arg0, %arg1 : memref<1x3x3x3x3xi32>, memref<3x1x2xi32>) outs(%arg2 : memref<1x1x3x1x3xi32>)
    memref.copy %arg2, %arg3 : memref<1x1x3x1x3xi32> to memref<1x1x3x1x3xi32>
    return
  }
}
