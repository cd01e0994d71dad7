// RUN: opt-tool %s -p attach-machine{target=%S/../two_near_linked.toml},verify-levels,verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// A convolution on the accelerator and a scaling of its sums on the core. The sums stay in the SRAM and go to the TCM over
// the bridge, tile by tile: DRAM does not see them.
builtin.module {
  func.func @network(%x: memref<1x8x16x16xi8>, %w: memref<16x8x1x1xi8>, %y: memref<1x16x16x16xi8> {tilewright.output}) {
    %sums = memref.alloc() {hier.address = 16384 : i64} : memref<1x16x16x16xi32, "SRAM">
    hier.grid (%i) in [4]
        ins(%tx = %x[0, 0, %i * 4, 0] [1, 8, 4, 16] in "SRAM" address 0 stages 2 : memref<1x8x16x16xi8>,
            %tw = %w[0, 0, 0, 0] [16, 8, 1, 1] in "SRAM" address 2048 : memref<16x8x1x1xi8>)
        outs(%ts = %sums[0, 0, %i * 4, 0] [1, 16, 4, 16] : memref<1x16x16x16xi32, "SRAM">) attributes {engine = "npu"} {
      nn.conv ins(%tx, %tw : memref<1x8x4x16xi8, "SRAM">, memref<16x8x1x1xi8, "SRAM">) outs(%ts : memref<1x16x4x16xi32, strided<[4096, 256, 16, 1], offset: ?>, "SRAM">) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
      hier.yield
    }
    hier.grid (%i) in [8]
        ins(%ts = %sums[0, %i * 2, 0, 0] [1, 2, 16, 16] in "TCM" address 0 stages 2 : memref<1x16x16x16xi32, "SRAM">)
        outs(%ty = %y[0, %i * 2, 0, 0] [1, 2, 16, 16] in "TCM" address 4096 stages 2 : memref<1x16x16x16xi8>) attributes {engine = "core"} {
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ts : memref<1x2x16x16xi32, "TCM">) outs(%ty : memref<1x2x16x16xi8, "TCM">) {
      ^bb0(%v: i32, %o: i8):
        %shift = arith.constant 6 : i32
        %low = arith.constant -128 : i32
        %high = arith.constant 127 : i32
        %0 = arith.shrsi %v, %shift : i32
        %1 = arith.maxsi %0, %low : i32
        %2 = arith.minsi %1, %high : i32
        %3 = arith.trunci %2 : i32 to i8
        linalg.yield %3 : i8
      }
      hier.yield
    }
    func.return
  }
}
