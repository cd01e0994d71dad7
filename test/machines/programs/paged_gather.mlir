// RUN: opt-tool %s -p attach-machine{target=%S/../paged.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Gather of rows: an index tensor chooses the row of a pool that each step fetches, the next one during the use of this.
func.func @network(%pool: memref<64x16xi8, "DRAM"> {onnx.name = "pool"}, %rows: memref<6xi32, "DRAM"> {onnx.name = "rows"},
                   %out: memref<6x16xi8, "DRAM"> {onnx.name = "out", tilewright.output}) {
  hier.grid (%i) in [6]
      ins(%table = %rows : memref<6xi32, "DRAM">,
          %row = %pool[%rows[%i] in [0, 64), 0] [1, 16] in "SRAM" address 0 stages 2 : memref<64x16xi8, "DRAM">)
      outs(%to = %out[%i, 0] [1, 16] in "SRAM" address 32 stages 2 : memref<6x16xi8, "DRAM">) {
    memref.copy %row, %to : memref<1x16xi8, "SRAM"> to memref<1x16xi8, "SRAM">
    hier.yield
  }
  func.return
}
