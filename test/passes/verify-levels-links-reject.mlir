// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/two_near.toml},verify-levels' 2>&1 | filecheck %s
// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/two_near_linked.toml},verify-levels' -o %t.mlir

// CHECK: a transfer from 'SRAM' to 'TCM' takes 2 links
// CHECK: expected: levels that one link joins
// CHECK: found: npu_dma, core_dma

func.func @network(%x: memref<16xi8>, %y: memref<16xi8>) {
  %zero = arith.constant 0 : index
  %sram = memref.alloca() : memref<16xi8, "SRAM">
  %tcm = memref.alloca() : memref<16xi8, "TCM">
  %first = hier.dma_start %x[%zero] to %sram : memref<16xi8>, memref<16xi8, "SRAM">
  hier.dma_wait %first
  %second = hier.dma_start %sram[%zero] to %tcm : memref<16xi8, "SRAM">, memref<16xi8, "TCM">
  hier.dma_wait %second
  %third = hier.dma_start %y[%zero] from %tcm : memref<16xi8>, memref<16xi8, "TCM">
  hier.dma_wait %third
  func.return
}
