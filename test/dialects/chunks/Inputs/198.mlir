// {"kind": "affine_reduction", "entry": "chunk198", "traits": [], "arguments": [["a0", ["memref", [1, 2], "i64"], [0, 0], false], ["o0", ["memref", [], "i64"], [0, 0], true], ["o1", ["memref", [], "i64"], [0, 0], true]], "results": [["o0", ["memref", [], "i64"], [0, 0], true], ["o1", ["memref", [], "i64"], [0, 0], true]]}
module {
  func.func @chunk198(%arg0: memref<1x2xi64>, %arg1: memref<i64> {tilewright.output}, %arg2: memref<i64> {tilewright.output}) {
    %0:2 = affine.parallel (%arg3, %arg4) = (0, 0) to (1, 2) reduce ("addi", "ori") -> (i64, i64) {
      %1 = affine.load %arg0[%arg3, %arg4] : memref<1x2xi64>
      affine.yield %1, %1 : i64, i64
    }
    memref.store %0#0, %arg1[] : memref<i64>
    memref.store %0#1, %arg2[] : memref<i64>
    return
  }
}
