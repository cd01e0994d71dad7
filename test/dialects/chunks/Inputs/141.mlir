// {"kind": "linalg.reciprocal", "entry": "chunk141", "traits": [], "arguments": [["a0", ["memref", [1], "f64"], [0, 0], false], ["a1", ["memref", [1], "f64"], [0, 0], false], ["o0", ["memref", [1], "f64"], [0, 0], true]], "results": [["o0", ["memref", [1], "f64"], [0, 0], true]]}
module {
  func.func @chunk141(%arg0: memref<1xf64>, %arg1: memref<1xf64>, %arg2: memref<1xf64> {tilewright.output}) {
    linalg.reciprocal ins(%arg0 : memref<1xf64>) outs(%arg1 : memref<1xf64>)
    memref.copy %arg1, %arg2 : memref<1xf64> to memref<1xf64>
    return
  }
}
