// {"kind": "affine_nest", "entry": "chunk196", "traits": [], "arguments": [["a0", ["memref", [2, 3], "i16"], [0, 0], false], ["o0", ["memref", [2, 3], "i16"], [0, 0], true], ["o1", ["memref", [2, 3], "i16"], [0, 0], true]], "results": [["o0", ["memref", [2, 3], "i16"], [0, 0], true], ["o1", ["memref", [2, 3], "i16"], [0, 0], true]]}
module {
  func.func @chunk196(%arg0: memref<2x3xi16>, %arg1: memref<2x3xi16> {tilewright.output}, %arg2: memref<2x3xi16> {tilewright.output}) {
    memref.copy %arg0, %arg1 : memref<2x3xi16> to memref<2x3xi16>
    affine.parallel (%arg3, %arg4) = (0, 0) to (2, 3) {
      %0 = affine.load %arg0[(-%arg3 + 1) mod 2, %arg4] : memref<2x3xi16>
      affine.store %0, %arg1[%arg3, %arg4] : memref<2x3xi16>
    }
    memref.copy %arg0, %arg2 : memref<2x3xi16> to memref<2x3xi16>
    affine.for %arg3 = 0 to 2 {
      %0 = affine.vector_load %arg0[%arg3, 0] : memref<2x3xi16>, vector<2xi16>
      affine.vector_store %0, %arg2[-%arg3 + 1, 1] : memref<2x3xi16>, vector<2xi16>
    }
    return
  }
}
