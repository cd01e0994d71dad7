// {"kind": "grown", "entry": "chunk220", "traits": [], "arguments": [["a0", "i32", [0, 7], false], ["o0", ["memref", [], "i32"], [0, 0], true]], "results": [["o0", ["memref", [], "i32"], [0, 0], true]]}
module {
  func.func @chunk220(%arg0: i32, %arg1: memref<i32> {tilewright.output}) {
    %alloc = memref.alloc() : memref<2xi32>
    %c1 = arith.constant 1 : index
    memref.store %arg0, %alloc[%c1] : memref<2xi32>
    memref.prefetch %alloc[%c1], read, locality<0>, data : memref<2xi32>
    %0 = memref.realloc %alloc : memref<2xi32> to memref<4xi32>
    %1 = memref.load %0[%c1] : memref<4xi32>
    memref.store %1, %arg1[] : memref<i32>
    memref.dealloc %0 : memref<4xi32>
    return
  }
}
