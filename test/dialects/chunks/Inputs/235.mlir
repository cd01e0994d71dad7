// {"kind": "linalg.batch_mmt4d", "entry": "chunk235", "traits": [], "arguments": [["a0", ["memref", [1, 3, 1, 3, 1], "i32"], [-9, 9], false], ["a1", ["memref", [1, 3, 1, 2, 1], "i32"], [-9, 9], false], ["a2", ["memref", [1, 3, 3, 3, 2], "i32"], [-9, 9], false], ["o0", ["memref", [1, 3, 3, 3, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [1, 3, 3, 3, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk235(%arg0: memref<1x3x1x3x1xi32>, %arg1: memref<1x3x1x2x1xi32>, %arg2: memref<1x3x3x3x2xi32>, %arg3: memref<1x3x3x3x2xi32> {tilewright.output}) {
    linalg.batch_mmt4d ins(%arg0, %arg1 : memref<1x3x1x3x1xi32>, memref<1x3x1x2x1xi32>) outs(%arg2 : memref<1x3x3x3x2xi32>)
    memref.copy %arg2, %arg3 : memref<1x3x3x3x2xi32> to memref<1x3x3x3x2xi32>
    return
  }
}
