// {"kind": "linalg.div_unsigned", "entry": "chunk91", "traits": [], "arguments": [["a0", ["memref", [1, 3], "f64"], [0, 0], false], ["a1", ["memref", [1, 3], "f64"], [0, 0], false], ["a2", ["memref", [1, 3], "i64"], [0, 0], false], ["a3", ["memref", [1, 3], "i64"], [0, 0], false], ["a4", ["memref", [1, 3], "i64"], [0, 0], false], ["o0", ["memref", [1, 3], "i64"], [0, 0], true]], "results": [["o0", ["memref", [1, 3], "i64"], [0, 0], true]]}
module {
  func.func @chunk91(%arg0: memref<1x3xf64>, %arg1: memref<1x3xf64>, %arg2: memref<1x3xi64>, %arg3: memref<1x3xi64>, %arg4: memref<1x3xi64>, %arg5: memref<1x3xi64> {tilewright.output}) {
    %c1_i64 = arith.constant 1 : i64
    linalg.fill ins(%c1_i64 : i64) outs(%arg3 : memref<1x3xi64>)
    linalg.div_unsigned ins(%arg2, %arg3 : memref<1x3xi64>, memref<1x3xi64>) outs(%arg4 : memref<1x3xi64>)
    memref.copy %arg4, %arg5 : memref<1x3xi64> to memref<1x3xi64>
    return
  }
}
