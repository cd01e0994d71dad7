// {"kind": "linalg.pooling_ncw_max", "entry": "chunk114", "traits": [], "arguments": [["a0", ["memref", [2, 2, 9], "f64"], [-9, 9], false], ["a1", ["memref", [3], "f64"], [-9, 9], false], ["a2", ["memref", [2, 2, 3], "f64"], [-9, 9], false], ["o0", ["memref", [2, 2, 3], "f64"], [0, 0], true]], "results": [["o0", ["memref", [2, 2, 3], "f64"], [0, 0], true]]}
module {
  func.func @chunk114(%arg0: memref<2x2x9xf64>, %arg1: memref<3xf64>, %arg2: memref<2x2x3xf64>, %arg3: memref<2x2x3xf64> {tilewright.output}) {
    linalg.pooling_ncw_max {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : memref<2x2x9xf64>, memref<3xf64>) outs(%arg2 : memref<2x2x3xf64>)
    memref.copy %arg2, %arg3 : memref<2x2x3xf64> to memref<2x2x3xf64>
    return
  }
}
