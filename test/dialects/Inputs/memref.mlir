module {
  func.func @memref(%arg0: memref<?x4xf32>, %arg1: memref<1xindex>, %arg2: memref<?xindex>, %arg3: index, %arg4: f32, %arg5: memref<*xf32>) -> f32 {
    %reshape = memref.reshape %arg0(%arg1) : (memref<?x4xf32>, memref<1xindex>) -> memref<?xf32>
    %reshape_0 = memref.reshape %arg0(%arg2) : (memref<?x4xf32>, memref<?xindex>) -> memref<*xf32>
    %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
    %alloc = memref.alloc(%arg3) : memref<?xf32>
    %0 = memref.realloc %alloc : memref<?xf32> to memref<32xf32>
    %1 = memref.realloc %0(%arg3) {alignment = 8 : i64} : memref<32xf32> to memref<?xf32>
    memref.prefetch %arg0[%arg3, %arg3], read, locality<3>, data : memref<?x4xf32>
    memref.prefetch %arg0[%arg3, %arg3], write, locality<1>, instr : memref<?x4xf32>
    %2 = memref.generic_atomic_rmw %alloc[%arg3] : memref<?xf32> {
    ^bb0(%arg6: f32):
      %6 = arith.addf %arg6, %arg4 : f32
      memref.atomic_yield %6 : f32
    }
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<?x4xf32> -> memref<f32>, index, index, index, index, index
    %3 = memref.atomic_rmw addf %arg4, %alloc[%arg3] : (f32, memref<?xf32>) -> f32
    %4 = memref.load %alloc[%arg3] {nontemporal = true} : memref<?xf32>
    memref.store %4, %alloc[%arg3] {nontemporal = true} : memref<?xf32>
    %dim = memref.dim %arg0, %arg3 : memref<?x4xf32>
    %5 = memref.rank %arg5 : memref<*xf32>
    %subview = memref.subview %arg0[%arg3, 0] [2, 2] [1, 2] : memref<?x4xf32> to memref<2x2xf32, strided<[4, 2], offset: ?>>
    %collapse_shape = memref.collapse_shape %arg0 [[0, 1]] : memref<?x4xf32> into memref<?xf32>
    %expand_shape = memref.expand_shape %collapse_shape [[0, 1]] output_shape [%arg3, 4] : memref<?xf32> into memref<?x4xf32>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%arg3], sizes: [2, %arg3], strides: [%arg3, 1] : memref<?x4xf32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
    %cast = memref.cast %arg0 : memref<?x4xf32> to memref<4x4xf32>
    %alloca = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
    %view = memref.view %alloca[%arg3][] : memref<64xi8> to memref<4xf32>
    memref.copy %cast, %cast : memref<4x4xf32> to memref<4x4xf32>
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<?x4xf32> -> index
    %memspacecast = memref.memory_space_cast %arg0 : memref<?x4xf32> to memref<?x4xf32, 3>
    memref.dealloc %alloc : memref<?xf32>
    memref.dma_start %cast[%arg3, %arg3], %cast[%arg3, %arg3], %arg3, %arg1[%arg3] : memref<4x4xf32>, memref<4x4xf32>, memref<1xindex>
    memref.dma_wait %arg1[%arg3], %arg3 : memref<1xindex>
    return %2 : f32
  }
}

// -----
module {
  memref.global "private" constant @k : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
  memref.global "private" @u : memref<2xf32> = uninitialized
  memref.global "nested" @d : memref<2xf32> {alignment = 32 : i64}
  func.func @globals() -> memref<2x2xi32> {
    %0 = memref.get_global @k : memref<2x2xi32>
    memref.alloca_scope  {
      %alloca = memref.alloca() : memref<4xf32>
    }
    %1 = memref.alloca_scope  -> (i32) {
      %c1_i32 = arith.constant 1 : i32
      memref.alloca_scope.return %c1_i32 : i32
    }
    return %0 : memref<2x2xi32>
  }
}
