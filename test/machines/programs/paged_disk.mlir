// RUN: opt-tool %s -p attach-machine{target=%S/../paged.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Pages on disk: the outer grid brings each to DRAM while the one before is used, the inner grid a half of it to SRAM.
func.func @network(%pool: memref<32x16x16xi8, "DISK"> {onnx.name = "pool"},
                   %table: memref<5xi32, "DRAM"> {onnx.name = "table"},
                   %out: memref<5x16x16xi8, "DRAM"> {onnx.name = "out", tilewright.output}) {
  hier.grid (%i) in [5]
      ins(%pages = %table : memref<5xi32, "DRAM">,
          %page = %pool[%table[%i] in [0, 32), 0, 0] [1, 16, 16] in "DRAM" address 0 stages 2 : memref<32x16x16xi8, "DISK">)
      outs(%to = %out[%i, 0, 0] [1, 16, 16] : memref<5x16x16xi8, "DRAM">) {
    hier.grid (%j) in [2]
        ins(%half = %page[0, %j * 8, 0] [1, 8, 16] in "SRAM" address 0 stages 2 : memref<1x16x16xi8, "DRAM">)
        outs(%near = %to[0, %j * 8, 0] [1, 8, 16] in "SRAM" address 256 stages 2
             : memref<1x16x16xi8, strided<[256, 16, 1], offset: ?>, "DRAM">) {
      memref.copy %half, %near : memref<1x8x16xi8, "SRAM"> to memref<1x8x16xi8, "SRAM">
      hier.yield
    }
    hier.yield
  }
  func.return
}
