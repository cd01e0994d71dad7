// {"kind": "linalg.matvec", "entry": "chunk106", "traits": [], "arguments": [["a0", ["memref", [3, 1], "i64"], [-9, 9], false], ["a1", ["memref", [1], "i64"], [-9, 9], false], ["a2", ["memref", [3], "i64"], [-9, 9], false], ["o0", ["memref", [3], "i64"], [0, 0], true]], "results": [["o0", ["memref", [3], "i64"], [0, 0], true]]}
module {
  func.func @chunk106(%arg0: memref<3x1xi64>, %arg1: memref<1xi64>, %arg2: memref<3xi64>, %arg3: memref<3xi64> {tilewright.output}) {
    linalg.matvec ins(%arg0, %arg1 : memref<3x1xi64>, memref<1xi64>) outs(%arg2 : memref<3xi64>)
    memref.copy %arg2, %arg3 : memref<3xi64> to memref<3xi64>
    return
  }
}
