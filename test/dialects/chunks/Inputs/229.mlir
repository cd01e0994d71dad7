// {"kind": "linalg.batch_matmul", "entry": "chunk229", "traits": [], "arguments": [["a0", ["memref", [2, 1, 2], "i8"], [-9, 9], false], ["a1", ["memref", [2, 2, 1], "i16"], [-9, 9], false], ["a2", ["memref", [2, 1, 1], "i32"], [-9, 9], false], ["o0", ["memref", [2, 1, 1], "i32"], [0, 0], true]], "results": [["o0", ["memref", [2, 1, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk229(%arg0: memref<2x1x2xi8>, %arg1: memref<2x2x1xi16>, %arg2: memref<2x1x1xi32>, %arg3: memref<2x1x1xi32> {tilewright.output}) {
    linalg.batch_matmul ins(%arg0, %arg1 : memref<2x1x2xi8>, memref<2x2x1xi16>) outs(%arg2 : memref<2x1x1xi32>)
    memref.copy %arg2, %arg3 : memref<2x1x1xi32> to memref<2x1x1xi32>
    return
  }
}
