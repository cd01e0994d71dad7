// {"kind": "linalg.matmul_transpose_b", "entry": "chunk105", "traits": [], "arguments": [["a0", ["memref", [3, 1], "f32"], [-9, 9], false], ["a1", ["memref", [1, 1], "f32"], [-9, 9], false], ["a2", ["memref", [3, 1], "f32"], [-9, 9], false], ["o0", ["memref", [3, 1], "f32"], [0, 0], true]], "results": [["o0", ["memref", [3, 1], "f32"], [0, 0], true]]}
module {
  func.func @chunk105(%arg0: memref<3x1xf32>, %arg1: memref<1x1xf32>, %arg2: memref<3x1xf32>, %arg3: memref<3x1xf32> {tilewright.output}) {
    linalg.matmul_transpose_b ins(%arg0, %arg1 : memref<3x1xf32>, memref<1x1xf32>) outs(%arg2 : memref<3x1xf32>)
    memref.copy %arg2, %arg3 : memref<3x1xf32> to memref<3x1xf32>
    return
  }
}
