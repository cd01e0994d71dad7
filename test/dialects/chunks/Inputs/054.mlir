// {"kind": "linalg.conv_2d", "entry": "chunk54", "traits": [], "arguments": [["a0", ["memref", [7, 5], "i8"], [-9, 9], false], ["a1", ["memref", [3, 3], "i16"], [-9, 9], false], ["a2", ["memref", [3, 1], "i32"], [-9, 9], false], ["o0", ["memref", [3, 1], "i32"], [0, 0], true]], "results": [["o0", ["memref", [3, 1], "i32"], [0, 0], true]]}
module {
  func.func @chunk54(%arg0: memref<7x5xi8>, %arg1: memref<3x3xi16>, %arg2: memref<3x1xi32>, %arg3: memref<3x1xi32> {tilewright.output}) {
    linalg.conv_2d ins(%arg0, %arg1 : memref<7x5xi8>, memref<3x3xi16>) outs(%arg2 : memref<3x1xi32>)
    memref.copy %arg2, %arg3 : memref<3x1xi32> to memref<3x1xi32>
    return
  }
}
