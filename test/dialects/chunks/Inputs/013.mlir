// {"kind": "copies_in_flight", "entry": "chunk13", "traits": ["not run"], "arguments": [["a0", ["memref", [3, 3], "i8"], [0, 0], false], ["a1", ["memref", [3], "i8"], [0, 0], false], ["a2", "index", [0, 2], false]], "results": []}
module {
  func.func @chunk13(%arg0: memref<3x3xi8>, %arg1: memref<3xi8>, %arg2: index) {
    %alloc = memref.alloc() : memref<1xi32>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    memref.dma_start %arg0[%arg2, %c0], %arg1[%c0], %c3, %alloc[%c0] : memref<3x3xi8>, memref<3xi8>, memref<1xi32>
    memref.dma_wait %alloc[%c0], %c3 : memref<1xi32>
    affine.for %arg3 = 0 to 3 {
      affine.dma_start %arg0[%arg3, 0], %arg1[1], %alloc[0], %c3 : memref<3x3xi8>, memref<3xi8>, memref<1xi32>
      affine.dma_wait %alloc[0], %c3 : memref<1xi32>
      affine.prefetch %arg0[%arg3, 1], write, locality<2>, data : memref<3x3xi8>
    }
    return
  }
}
