// {"kind": "linalg.matmul", "entry": "chunk294", "traits": [], "arguments": [["a0", ["memref", [1, 1], "f64"], [-9, 9], false], ["a1", ["memref", [1, 1], "f64"], [-9, 9], false], ["a2", ["memref", [1, 1], "f64"], [-9, 9], false], ["o0", ["memref", [1, 1], "f64"], [0, 0], true]], "results": [["o0", ["memref", [1, 1], "f64"], [0, 0], true]]}
module {
  func.func @chunk294(%arg0: memref<1x1xf64>, %arg1: memref<1x1xf64>, %arg2: memref<1x1xf64>, %arg3: memref<1x1xf64> {tilewright.output}) {
    linalg.matmul ins(%arg0, %arg1 : memref<1x1xf64>, memref<1x1xf64>) outs(%arg2 : memref<1x1xf64>)
    memref.copy %arg2, %arg3 : memref<1x1xf64> to memref<1x1xf64>
    return
  }
}
