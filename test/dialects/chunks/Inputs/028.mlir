// {"kind": "grown", "entry": "chunk28", "traits": [], "arguments": [["a0", "f64", [0, 7], false], ["o0", ["memref", [], "f64"], [0, 0], true]], "results": [["o0", ["memref", [], "f64"], [0, 0], true]]}
module {
  func.func @chunk28(%arg0: f64, %arg1: memref<f64> {tilewright.output}) {
    %alloc = memref.alloc() : memref<3xf64>
    %c2 = arith.constant 2 : index
    memref.store %arg0, %alloc[%c2] : memref<3xf64>
    memref.prefetch %alloc[%c2], read, locality<1>, data : memref<3xf64>
    %0 = memref.realloc %alloc : memref<3xf64> to memref<5xf64>
    %1 = memref.load %0[%c2] : memref<5xf64>
    memref.store %1, %arg1[] : memref<f64>
    memref.dealloc %0 : memref<5xf64>
    return
  }
}
