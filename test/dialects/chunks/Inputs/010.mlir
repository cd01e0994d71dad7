// {"kind": "buffer_forall", "entry": "chunk10", "traits": [], "arguments": [["a0", ["memref", [4, 1], "i16"], [0, 0], false], ["o0", ["memref", [4, 1], "i16"], [0, 0], true]], "results": [["o0", ["memref", [4, 1], "i16"], [0, 0], true]]}
#map = affine_map<(d0) -> (-d0 + 3)>
module {
  func.func @chunk10(%arg0: memref<4x1xi16>, %arg1: memref<4x1xi16> {tilewright.output}) {
    memref.copy %arg0, %arg1 : memref<4x1xi16> to memref<4x1xi16>
    scf.forall (%arg2, %arg3) = (3, 0) to (4, 1) step (1, 1) {
      %0 = affine.apply #map(%arg2)
      %1 = memref.load %arg0[%0, %arg3] : memref<4x1xi16>
      memref.store %1, %arg1[%arg2, %arg3] : memref<4x1xi16>
    }
    return
  }
}
