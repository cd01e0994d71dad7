// {"kind": "linalg.pooling_nchw_sum", "entry": "chunk112", "traits": [], "arguments": [["a0", ["memref", [3, 1, 2, 3], "f64"], [-9, 9], false], ["a1", ["memref", [1, 1], "f64"], [-9, 9], false], ["a2", ["memref", [3, 1, 2, 2], "f64"], [-9, 9], false], ["o0", ["memref", [3, 1, 2, 2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [3, 1, 2, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk112(%arg0: memref<3x1x2x3xf64>, %arg1: memref<1x1xf64>, %arg2: memref<3x1x2x2xf64>, %arg3: memref<3x1x2x2xf64> {tilewright.output}) {
    linalg.pooling_nchw_sum {dilations = dense<2> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%arg0, %arg1 : memref<3x1x2x3xf64>, memref<1x1xf64>) outs(%arg2 : memref<3x1x2x2xf64>)
    memref.copy %arg2, %arg3 : memref<3x1x2x2xf64> to memref<3x1x2x2xf64>
    return
  }
}
