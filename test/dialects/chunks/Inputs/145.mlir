// {"kind": "linalg.sqrt", "entry": "chunk145", "traits": [], "arguments": [["a0", ["memref", [3, 2], "f64"], [0, 0], false], ["a1", ["memref", [3, 2], "f64"], [0, 0], false], ["o0", ["memref", [3, 2], "f64"], [0, 0], true]], "results": [["o0", ["memref", [3, 2], "f64"], [0, 0], true]]}
module {
  func.func @chunk145(%arg0: memref<3x2xf64>, %arg1: memref<3x2xf64>, %arg2: memref<3x2xf64> {tilewright.output}) {
    linalg.sqrt ins(%arg0 : memref<3x2xf64>) outs(%arg1 : memref<3x2xf64>)
    memref.copy %arg1, %arg2 : memref<3x2xf64> to memref<3x2xf64>
    return
  }
}
