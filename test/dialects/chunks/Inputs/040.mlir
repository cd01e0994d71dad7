// {"kind": "linalg.batch_matmul_transpose_b", "entry": "chunk40", "traits": [], "arguments": [["a0", ["memref", [2, 3, 3], "i8"], [-9, 9], false], ["a1", ["memref", [2, 3, 3], "i8"], [-9, 9], false], ["a2", ["memref", [2, 3, 3], "i32"], [-9, 9], false], ["o0", ["memref", [2, 3, 3], "i32"], [0, 0], true]], "results": [["o0", ["memref", [2, 3, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk40(%arg0: memref<2x3x3xi8>, %arg1: memref<2x3x3xi8>, %arg2: memref<2x3x3xi32>, %arg3: memref<2x3x3xi32> {tilewright.output}) {
    linalg.batch_matmul_transpose_b ins(%arg0, %arg1 : memref<2x3x3xi8>, memref<2x3x3xi8>) outs(%arg2 : memref<2x3x3xi32>)
    memref.copy %arg2, %arg3 : memref<2x3x3xi32> to memref<2x3x3xi32>
    return
  }
}
