// {"kind": "buffer_forall", "entry": "chunk202", "traits": [], "arguments": [["a0", ["memref", [2, 1], "i64"], [0, 0], false], ["o0", ["memref", [2, 1], "i64"], [0, 0], true]], "results": [["o0", ["memref", [2, 1], "i64"], [0, 0], true]]}
#map = affine_map<(d0) -> (-d0 + 1)>
module {
  func.func @chunk202(%arg0: memref<2x1xi64>, %arg1: memref<2x1xi64> {tilewright.output}) {
    memref.copy %arg0, %arg1 : memref<2x1xi64> to memref<2x1xi64>
    scf.forall (%arg2, %arg3) in (2, 1) {
      %0 = affine.apply #map(%arg2)
      %1 = memref.load %arg0[%0, %arg3] : memref<2x1xi64>
      memref.store %1, %arg1[%arg2, %arg3] : memref<2x1xi64>
    }
    return
  }
}
