// {"kind": "copies_in_flight", "entry": "chunk205", "traits": ["not run"], "arguments": [["a0", ["memref", [3, 4], "f32"], [0, 0], false], ["a1", ["memref", [4], "f32"], [0, 0], false], ["a2", "index", [0, 2], false]], "results": []}
module {
  func.func @chunk205(%arg0: memref<3x4xf32>, %arg1: memref<4xf32>, %arg2: index) {
    %alloc = memref.alloc() : memref<1xi32>
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    memref.dma_start %arg0[%arg2, %c0], %arg1[%c0], %c4, %alloc[%c0] : memref<3x4xf32>, memref<4xf32>, memref<1xi32>
    memref.dma_wait %alloc[%c0], %c4 : memref<1xi32>
    affine.for %arg3 = 0 to 3 {
      affine.dma_start %arg0[%arg3, 0], %arg1[0], %alloc[0], %c4 : memref<3x4xf32>, memref<4xf32>, memref<1xi32>
      affine.dma_wait %alloc[0], %c4 : memref<1xi32>
      affine.prefetch %arg0[%arg3, 3], read, locality<0>, data : memref<3x4xf32>
    }
    return
  }
}
