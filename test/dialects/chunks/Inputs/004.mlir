// {"kind": "affine_nest", "entry": "chunk4", "traits": [], "arguments": [["a0", ["memref", [3, 3], "i16"], [0, 0], false], ["o0", ["memref", [3, 3], "i16"], [0, 0], true], ["o1", ["memref", [3, 3], "i16"], [0, 0], true]], "results": [["o0", ["memref", [3, 3], "i16"], [0, 0], true], ["o1", ["memref", [3, 3], "i16"], [0, 0], true]]}
module {
  func.func @chunk4(%arg0: memref<3x3xi16>, %arg1: memref<3x3xi16> {tilewright.output}, %arg2: memref<3x3xi16> {tilewright.output}) {
    memref.copy %arg0, %arg1 : memref<3x3xi16> to memref<3x3xi16>
    affine.parallel (%arg3, %arg4) = (0, 0) to (3, 3) {
      %0 = affine.load %arg0[(-%arg3 + 2) mod 3, %arg4] : memref<3x3xi16>
      affine.store %0, %arg1[%arg3, %arg4] : memref<3x3xi16>
    }
    memref.copy %arg0, %arg2 : memref<3x3xi16> to memref<3x3xi16>
    affine.for %arg3 = 0 to 3 {
      %0 = affine.vector_load %arg0[%arg3, 0] : memref<3x3xi16>, vector<1xi16>
      affine.vector_store %0, %arg2[-%arg3 + 2, 2] : memref<3x3xi16>, vector<1xi16>
    }
    return
  }
}
