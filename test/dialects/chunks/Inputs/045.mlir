// {"kind": "linalg.batch_reduce_matmul", "entry": "chunk45", "traits": [], "arguments": [["a0", ["memref", [2, 1, 3], "i16"], [-9, 9], false], ["a1", ["memref", [2, 3, 1], "i16"], [-9, 9], false], ["a2", ["memref", [1, 1], "i16"], [-9, 9], false], ["o0", ["memref", [1, 1], "i16"], [0, 0], true]], "results": [["o0", ["memref", [1, 1], "i16"], [0, 0], true]]}
module {
  func.func @chunk45(%arg0: memref<2x1x3xi16>, %arg1: memref<2x3x1xi16>, %arg2: memref<1x1xi16>, %arg3: memref<1x1xi16> {tilewright.output}) {
    linalg.batch_reduce_matmul ins(%arg0, %arg1 : memref<2x1x3xi16>, memref<2x3x1xi16>) outs(%arg2 : memref<1x1xi16>)
    memref.copy %arg2, %arg3 : memref<1x1xi16> to memref<1x1xi16>
    return
  }
}
