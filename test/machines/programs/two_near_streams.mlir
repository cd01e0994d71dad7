// RUN: opt-tool %s -p attach-machine{target=%S/../two_near_linked.toml},verify-levels,verify-memory -o %t.mlir

// The same network, each engine with a program of its own: the accelerator convolves four rows while the core scales the
// four rows before. A stream in the TCM is all that they share.
builtin.module {
  func.func @network(%x: memref<1x8x16x16xi8>, %w: memref<16x8x1x1xi8>, %y: memref<1x16x16x16xi8> {tilewright.output}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %sums = hier.stream depth 2 : !hier.stream<memref<1x16x4x16xi32, "TCM">>
    hier.concurrent {
      hier.program "convolve" on "npu" {
        %tx = memref.alloca() : memref<1x8x4x16xi8, "SRAM">
        %tw = memref.alloca() : memref<16x8x1x1xi8, "SRAM">
        %ts = memref.alloca() : memref<1x16x4x16xi32, "SRAM">
        %weights = hier.dma_start %w[%zero, %zero, %zero, %zero] to %tw : memref<16x8x1x1xi8>, memref<16x8x1x1xi8, "SRAM">
        hier.dma_wait %weights
        scf.for %i = %zero to %four step %one {
          %row = arith.muli %i, %four : index
          %rows = hier.dma_start %x[%zero, %zero, %row, %zero] to %tx : memref<1x8x16x16xi8>, memref<1x8x4x16xi8, "SRAM">
          hier.dma_wait %rows
          nn.conv ins(%tx, %tw : memref<1x8x4x16xi8, "SRAM">, memref<16x8x1x1xi8, "SRAM">) outs(%ts : memref<1x16x4x16xi32, "SRAM">) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
          %slot = hier.reserve %sums : !hier.stream<memref<1x16x4x16xi32, "TCM">>
          %across = hier.dma_start %ts[%zero, %zero, %zero, %zero] to %slot : memref<1x16x4x16xi32, "SRAM">, memref<1x16x4x16xi32, "TCM">
          hier.dma_wait %across
          hier.push %sums : !hier.stream<memref<1x16x4x16xi32, "TCM">>
        }
      }
      hier.program "scale" on "core" {
        %ty = memref.alloca() : memref<1x16x4x16xi8, "TCM">
        scf.for %i = %zero to %four step %one {
          %row = arith.muli %i, %four : index
          %ts = hier.pop %sums : !hier.stream<memref<1x16x4x16xi32, "TCM">>
          linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ts : memref<1x16x4x16xi32, "TCM">) outs(%ty : memref<1x16x4x16xi8, "TCM">) {
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
          hier.release %sums : !hier.stream<memref<1x16x4x16xi32, "TCM">>
          %out = hier.dma_start %y[%zero, %zero, %row, %zero] from %ty : memref<1x16x16x16xi8>, memref<1x16x4x16xi8, "TCM">
          hier.dma_wait %out
        }
      }
    }
    func.return
  }
}
