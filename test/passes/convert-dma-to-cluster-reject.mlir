// RUN: opt-tool %s --verify-diagnostics -p convert-dma-to-cluster

func.func @network(%x: memref<16x64xi8, strided<[?, 1]>>, %i: index) {
  %m = memref.alloc() : memref<8x64xi8, "L1">
  // expected-error @+1 {{a transfer between buffers of unknown layout}}
  %t = hier.dma_start %x[%i, %i] to %m : memref<16x64xi8, strided<[?, 1]>>, memref<8x64xi8, "L1">
  hier.dma_wait %t
  func.return
}
