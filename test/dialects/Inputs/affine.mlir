#map = affine_map<(d0)[s0] -> (d0 + s0, 512)>
#map1 = affine_map<(d0, d1) -> (d0 floordiv 4, d1 mod 8)>
module {
  func.func @affine(%arg0: index, %arg1: index, %arg2: memref<?x8xf32>, %arg3: memref<8x8xf32>, %arg4: memref<1xi32>, %arg5: memref<8x8xf32, 2>) -> (index, index, index) {
    %0:2 = affine.delinearize_index %arg0 into (%arg1, %arg0) : index, index
    %1 = affine.max #map(%arg0)[%arg1]
    %2 = affine.min #map1(%arg0, %arg1)
    affine.prefetch %arg2[%arg0, %arg1 + 5], read, locality<3>, data : memref<?x8xf32>
    affine.prefetch %arg2[%arg0, %arg1], write, locality<0>, instr : memref<?x8xf32>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    affine.dma_start %arg3[%arg0, %arg1 + 1], %arg5[%c0, %c0], %arg4[%c0], %c64 : memref<8x8xf32>, memref<8x8xf32, 2>, memref<1xi32>
    affine.dma_start %arg3[%arg0 + 3, %arg1], %arg5[%c0, %c0], %arg4[%c0], %c64, %c64, %c64 : memref<8x8xf32>, memref<8x8xf32, 2>, memref<1xi32>
    affine.dma_wait %arg4[%c0], %c64 : memref<1xi32>
    return %0#0, %1, %2 : index, index, index
  }
}

// -----
#map = affine_map<(d0) -> (d0, 3)>
#map1 = affine_map<(d0) -> (d0 + 10, 20)>
#map2 = affine_map<(d0)[s0] -> (d0 ceildiv 4 + s0)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 - 3 == 0)>
module {
  func.func @affine(%arg0: index, %arg1: memref<10x10xf32>, %arg2: f32) -> f32 {
    %0 = affine.for %arg3 = 0 to %arg0 step 2 iter_args(%arg4 = %arg2) -> (f32) {
      %4 = affine.load %arg1[%arg3, symbol(%arg0) + 1] : memref<10x10xf32>
      %5 = arith.addf %4, %arg4 : f32
      affine.yield %5 : f32
    }
    affine.for %arg3 = max #map(%arg0) to min #map1(%arg0) {
      affine.store %arg2, %arg1[%arg3, %arg3 * 2 - 1] : memref<10x10xf32>
    }
    affine.parallel (%arg3, %arg4) = (0, 1) to (10, symbol(%arg0)) step (2, 3) {
      affine.store %arg2, %arg1[%arg3, %arg4] : memref<10x10xf32>
    }
    %1 = affine.parallel (%arg3) = (0) to (min(%arg0, 10)) reduce ("addf") -> (f32) {
      affine.yield %arg2 : f32
    }
    affine.if #set(%arg0)[%arg0] {
      affine.store %arg2, %arg1[0, 1] : memref<10x10xf32>
    } else {
      affine.store %arg2, %arg1[1, 1] : memref<10x10xf32>
    }
    %2 = affine.apply #map2(%arg0)[%arg0]
    %3 = affine.vector_load %arg1[%arg0, 0] : memref<10x10xf32>, vector<4xf32>
    affine.vector_store %3, %arg1[%2, 4] : memref<10x10xf32>, vector<4xf32>
    return %0 : f32
  }
}
