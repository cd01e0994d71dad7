// {"kind": "linalg.matmul_transpose_b", "entry": "chunk297", "traits": [], "arguments": [["a0", ["memref", [1, 2], "i8"], [-9, 9], false], ["a1", ["memref", [2, 2], "i8"], [-9, 9], false], ["a2", ["memref", [1, 2], "i32"], [-9, 9], false], ["o0", ["memref", [1, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [1, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk297(%arg0: memref<1x2xi8>, %arg1: memref<2x2xi8>, %arg2: memref<1x2xi32>, %arg3: memref<1x2xi32> {tilewright.output}) {
    linalg.matmul_transpose_b ins(%arg0, %arg1 : memref<1x2xi8>, memref<2x2xi8>) outs(%arg2 : memref<1x2xi32>)
    memref.copy %arg2, %arg3 : memref<1x2xi32> to memref<1x2xi32>
    return
  }
}
