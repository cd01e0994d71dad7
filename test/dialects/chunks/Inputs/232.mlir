// {"kind": "linalg.batch_matmul_transpose_b", "entry": "chunk232", "traits": [], "arguments": [["a0", ["memref", [2, 3, 1], "i32"], [-9, 9], false], ["a1", ["memref", [2, 2, 1], "i32"], [-9, 9], false], ["a2", ["memref", [2, 3, 2], "i32"], [-9, 9], false], ["o0", ["memref", [2, 3, 2], "i32"], [0, 0], true]], "results": [["o0", ["memref", [2, 3, 2], "i32"], [0, 0], true]]}
module {
  func.func @chunk232(%arg0: memref<2x3x1xi32>, %arg1: memref<2x2x1xi32>, %arg2: memref<2x3x2xi32>, %arg3: memref<2x3x2xi32> {tilewright.output}) {
    linalg.batch_matmul_transpose_b ins(%arg0, %arg1 : memref<2x3x1xi32>, memref<2x2x1xi32>) outs(%arg2 : memref<2x3x2xi32>)
    memref.copy %arg2, %arg3 : memref<2x3x2xi32> to memref<2x3x2xi32>
    return
  }
}
