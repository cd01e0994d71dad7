// {"kind": "affine_reduction", "entry": "chunk6", "traits": [], "arguments": [["a0", ["memref", [4, 3], "i8"], [0, 0], false], ["o0", ["memref", [], "i8"], [0, 0], true], ["o1", ["memref", [], "i8"], [0, 0], true]], "results": [["o0", ["memref", [], "i8"], [0, 0], true], ["o1", ["memref", [], "i8"], [0, 0], true]]}
module {
  func.func @chunk6(%arg0: memref<4x3xi8>, %arg1: memref<i8> {tilewright.output}, %arg2: memref<i8> {tilewright.output}) {
    %0:2 = affine.parallel (%arg3, %arg4) = (0, 0) to (4, 3) reduce ("ori", "muli") -> (i8, i8) {
      %1 = affine.load %arg0[%arg3, %arg4] : memref<4x3xi8>
      affine.yield %1, %1 : i8, i8
    }
    memref.store %0#0, %arg1[] : memref<i8>
    memref.store %0#1, %arg2[] : memref<i8>
    return
  }
}
