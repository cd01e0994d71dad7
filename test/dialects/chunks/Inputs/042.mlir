// {"kind": "linalg.batch_matvec", "entry": "chunk42", "traits": [], "arguments": [["a0", ["memref", [3, 3, 1], "i8"], [-9, 9], false], ["a1", ["memref", [3, 1], "i8"], [-9, 9], false], ["a2", ["memref", [3, 3], "i32"], [-9, 9], false], ["o0", ["memref", [3, 3], "i32"], [0, 0], true]], "results": [["o0", ["memref", [3, 3], "i32"], [0, 0], true]]}
module {
  func.func @chunk42(%arg0: memref<3x3x1xi8>, %arg1: memref<3x1xi8>, %arg2: memref<3x3xi32>, %arg3: memref<3x3xi32> {tilewright.output}) {
    linalg.batch_matvec ins(%arg0, %arg1 : memref<3x3x1xi8>, memref<3x1xi8>) outs(%arg2 : memref<3x3xi32>)
    memref.copy %arg2, %arg3 : memref<3x3xi32> to memref<3x3xi32>
    return
  }
}
