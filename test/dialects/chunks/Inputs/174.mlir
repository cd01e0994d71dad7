// {"kind": "scoped", "entry": "chunk174", "traits": [], "arguments": [["a0", "i16", [0, 7], false], ["a1", "index", [0, 2], false], ["o0", ["memref", [], "i16"], [0, 0], true]], "results": [["o0", ["memref", [], "i16"], [0, 0], true]]}
module {
  func.func @chunk174(%arg0: i16, %arg1: index, %arg2: memref<i16> {tilewright.output}) {
    %0 = memref.alloca_scope  -> (i16) {
      %alloca = memref.alloca() : memref<3xi16>
      memref.store %arg0, %alloca[%arg1] : memref<3xi16>
      %1 = memref.load %alloca[%arg1] : memref<3xi16>
      memref.alloca_scope.return %1 : i16
    }
    memref.store %0, %arg2[] : memref<i16>
    return
  }
}
