// {"kind": "linalg.matmul", "entry": "chunk102", "traits": [], "arguments": [["a0", ["memref", [1, 2], "i8"], [-9, 9], false], ["a1", ["memref", [2, 3], "i8"], [-9, 9], false], ["a2", ["memref", [1, 3], "i32"], [-9, 9], false], ["o0", ["memref", [1, 3], "i32"], [0, 0], true]], "results": [["o0", ["memref", [1, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk102(%arg0: memref<1x2xi8>, %arg1: memref<2x3xi8>, %arg2: memref<1x3xi32>, %arg3: memref<1x3xi32> {tilewright.output}) {
    linalg.matmul ins(%arg0, %arg1 : memref<1x2xi8>, memref<2x3xi8>) outs(%arg2 : memref<1x3xi32>)
    memref.copy %arg2, %arg3 : memref<1x3xi32> to memref<1x3xi32>
    return
  }
}
