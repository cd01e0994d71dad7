// {"kind": "linalg.floor", "entry": "chunk291", "traits": [], "arguments": [["a0", ["memref", [2], "f32"], [0, 0], false], ["a1", ["memref", [2], "f32"], [0, 0], false], ["o0", ["memref", [2], "f32"], [0, 0], true]], "results": [["o0", ["memref", [2], "f32"], [0, 0], true]]}
module {
  func.func @chunk291(%arg0: memref<2xf32>, %arg1: memref<2xf32>, %arg2: memref<2xf32> {tilewright.output}) {
    linalg.floor ins(%arg0 : memref<2xf32>) outs(%arg1 : memref<2xf32>)
    memref.copy %arg1, %arg2 : memref<2xf32> to memref<2xf32>
    return
  }
}
