// {"kind": "linalg.rsqrt", "entry": "chunk144", "traits": ["libm"], "arguments": [["a0", ["memref", [1], "f32"], [0, 0], false], ["a1", ["memref", [1], "f32"], [0, 0], false], ["o0", ["memref", [1], "f32"], [0, 0], true]], "results": [["o0", ["memref", [1], "f32"], [0, 0], true]]}
module {
  func.func @chunk144(%arg0: memref<1xf32>, %arg1: memref<1xf32>, %arg2: memref<1xf32> {tilewright.output}) {
    linalg.rsqrt ins(%arg0 : memref<1xf32>) outs(%arg1 : memref<1xf32>)
    memref.copy %arg1, %arg2 : memref<1xf32> to memref<1xf32>
    return
  }
}
