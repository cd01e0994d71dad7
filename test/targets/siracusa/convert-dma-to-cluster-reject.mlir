// RUN: opt-tool %s --split-input-file --verify-diagnostics -p convert-dma-to-cluster

func.func @network(%x: memref<16x64xi8, strided<[?, 1]>>, %i: index) {
  %m = memref.alloc() : memref<8x64xi8, "L1">
  // expected-error @+1 {{a transfer between buffers of unknown layout}}
  %t = hier.dma_start %x[%i, %i] to %m : memref<16x64xi8, strided<[?, 1]>>, memref<8x64xi8, "L1">
  hier.dma_wait %t
  func.return
}

// -----

func.func @network(%x: memref<16x64xi8>, %i: index) {
  %l2 = memref.alloc() : memref<16x64xi8, "L2">
  %l1 = memref.alloc() : memref<8x64xi8, "L1">
  %t = hier.dma_start %x[%i, %i] to %l2 : memref<16x64xi8>, memref<16x64xi8, "L2">
  hier.dma_wait %t
  // expected-error @+1 {{the cluster's DMA engine does not reach all levels of the machine}}
  %u = hier.dma_start %l2[%i, %i] to %l1 : memref<16x64xi8, "L2">, memref<8x64xi8, "L1">
  hier.dma_wait %u
  func.return
}
