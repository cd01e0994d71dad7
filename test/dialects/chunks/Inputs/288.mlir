// {"kind": "linalg.exp", "entry": "chunk288", "traits": ["libm"], "arguments": [["a0", ["memref", [3, 1], "f32"], [0, 0], false], ["a1", ["memref", [3, 1], "f32"], [0, 0], false], ["o0", ["memref", [3, 1], "f32"], [0, 0], true]], "results": [["o0", ["memref", [3, 1], "f32"], [0, 0], true]]}
module {
  func.func @chunk288(%arg0: memref<3x1xf32>, %arg1: memref<3x1xf32>, %arg2: memref<3x1xf32> {tilewright.output}) {
    linalg.exp ins(%arg0 : memref<3x1xf32>) outs(%arg1 : memref<3x1xf32>)
    memref.copy %arg1, %arg2 : memref<3x1xf32> to memref<3x1xf32>
    return
  }
}
