// {"kind": "linalg.batch_matmul", "entry": "chunk37", "traits": [], "arguments": [["a0", ["memref", [3, 2, 1], "i16"], [-9, 9], false], ["a1", ["memref", [3, 1, 3], "i16"], [-9, 9], false], ["a2", ["memref", [3, 2, 3], "i64"], [-9, 9], false], ["o0", ["memref", [3, 2, 3], "i64"], [0, 0], true]], "results": [["o0", ["memref", [3, 2, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk37(%arg0: memref<3x2x1xi16>, %arg1: memref<3x1x3xi16>, %arg2: memref<3x2x3xi64>, %arg3: memref<3x2x3xi64> {tilewright.output}) {
    linalg.batch_matmul ins(%arg0, %arg1 : memref<3x2x1xi16>, memref<3x1x3xi16>) outs(%arg2 : memref<3x2x3xi64>)
    memref.copy %arg2, %arg3 : memref<3x2x3xi64> to memref<3x2x3xi64>
    return
  }
}
