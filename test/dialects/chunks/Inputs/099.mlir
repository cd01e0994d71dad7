// {"kind": "linalg.floor", "entry": "chunk99", "traits": [], "arguments": [["a0", ["memref", [1, 1, 2], "f64"], [0, 0], false], ["a1", ["memref", [1, 1, 2], "f64"], [0, 0], false], ["o0", ["memref", [1, 1, 2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [1, 1, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk99(%arg0: memref<1x1x2xf64>, %arg1: memref<1x1x2xf64>, %arg2: memref<1x1x2xf64> {tilewright.output}) {
    linalg.floor ins(%arg0 : memref<1x1x2xf64>) outs(%arg1 : memref<1x1x2xf64>)
    memref.copy %arg1, %arg2 : memref<1x1x2xf64> to memref<1x1x2xf64>
    return
  }
}
