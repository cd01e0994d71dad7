// {"kind": "linalg.batch_mmt4d", "entry": "chunk43", "traits": [], "arguments": [["a0", ["memref", [2, 2, 1, 1, 1], "i64"], [-9, 9], false], ["a1", ["memref", [2, 2, 1, 1, 1], "i64"], [-9, 9], false], ["a2", ["memref", [2, 2, 2, 1, 1], "i64"], [-9, 9], false], ["o0", ["memref", [2, 2, 2, 1, 1], "i64"], [0, 0], true]], "results": [["o0", ["memref", [2, 2, 2, 1, 1], "i64"], [0, 0], true]]}
module {
  func.func @chunk43(%arg0: memref<2x2x1x1x1xi64>, %arg1: memref<2x2x1x1x1xi64>, %arg2: memref<2x2x2x1x1xi64>, %arg3: memref<2x2x2x1x1xi64> {tilewright.output}) {
    linalg.batch_mmt4d ins(%arg0, %arg1 : memref<2x2x1x1x1xi64>, memref<2x2x1x1x1xi64>) outs(%arg2 : memref<2x2x2x1x1xi64>)
    memref.copy %arg2, %arg3 : memref<2x2x2x1x1xi64> to memref<2x2x2x1x1xi64>
    return
  }
}
