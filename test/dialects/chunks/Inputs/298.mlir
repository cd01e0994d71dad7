// {"kind": "linalg.matvec", "entry": "chunk298", "traits": [], "arguments": [["a0", ["memref", [1, 1], "i8"], [-9, 9], false], ["a1", ["memref", [1], "i8"], [-9, 9], false], ["a2", ["memref", [1], "i8"], [-9, 9], false], ["o0", ["memref", [1], "i8"], [0, 0], true]], "results": [["o0", ["memref", [1], "i8"], [0, 0], true]]}
module {
  func.func @chunk298(%arg0: memref<1x1xi8>, %arg1: memref<1xi8>, %arg2: memref<1xi8>, %arg3: memref<1xi8> {tilewright.output}) {
    linalg.matvec ins(%arg0, %arg1 : memref<1x1xi8>, memref<1xi8>) outs(%arg2 : memref<1xi8>)
    memref.copy %arg2, %arg3 : memref<1xi8> to memref<1xi8>
    return
  }
}
