// {"kind": "linalg.batch_reduce_matmul", "entry": "chunk237", "traits": [], "arguments": [["a0", ["memref", [2, 2, 1], "f64"], [-9, 9], false], ["a1", ["memref", [2, 1, 1], "f64"], [-9, 9], false], ["a2", ["memref", [2, 1], "f64"], [-9, 9], false], ["o0", ["memref", [2, 1], "f64"], [0, 0], true]], "results": [["o0", ["memref", [2, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk237(%arg0: memref<2x2x1xf64>, %arg1: memref<2x1x1xf64>, %arg2: memref<2x1xf64>, %arg3: memref<2x1xf64> {tilewright.output}) {
    linalg.batch_reduce_matmul ins(%arg0, %arg1 : memref<2x2x1xf64>, memref<2x1x1xf64>) outs(%arg2 : memref<2x1xf64>)
    memref.copy %arg2, %arg3 : memref<2x1xf64> to memref<2x1xf64>
    return
  }
}
