// RUN: opt-tool %s -p attach-machine{target=%S/../systolic.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Blocks of 16 over 20x10x10: the transfers fill what lies beyond, so that rows are whole; along k with the zeros that
// leave sums as they are.
builtin.module {
  func.func @network(%a: memref<20x10xi8>, %b: memref<10x10xi8>, %bias: memref<1x10xi32>, %c: memref<20x10xi8> {tilewright.output}) {
    hier.grid (%i) in [2]
        ins(%ta = %a[%i * 16, 0] [16, 16] in "SPAD" address 0 stages 2 fill 0 : i8 : memref<20x10xi8>,
            %tb = %b[0, 0] [16, 16] in "SPAD" address 512 fill 0 : i8 : memref<10x10xi8>,
            %start = %bias[0, 0] [16, 16] starts 0 broadcast [0] fill 0 : i32 : memref<1x10xi32>)
        outs(%tc = %c[%i * 16, 0] [16, 16] in "ACC" as i32 address 0 stages 2 : memref<20x10xi8> (%v: i32) {
            %scale = arith.constant 77 : i32
            %round = arith.constant 8192 : i32
            %shift = arith.constant 14 : i32
            %low = arith.constant -128 : i32
            %high = arith.constant 127 : i32
            %0 = arith.muli %v, %scale : i32
            %1 = arith.addi %0, %round : i32
            %2 = arith.shrsi %1, %shift : i32
            %3 = arith.maxsi %2, %low : i32
            %4 = arith.minsi %3, %high : i32
            %5 = arith.trunci %4 : i32 to i8
            hier.yield %5 : i8
          }) {
      nn.matmul ins(%ta, %tb : memref<16x16xi8, "SPAD">, memref<16x16xi8, "SPAD">) outs(%tc : memref<16x16xi32, "ACC">) {accumulator = i32, accumulate, engine = "array", hier.kernel = {bounds = array<i64: 20, 10, 10>, shapes = [array<i64: 20, 10>, array<i64: 10, 10>, array<i64: 20, 10>], starts = affine_map<(d0, d1, d2) -> (0, d1)>, operand = array<i64: 1, 10>}}
      hier.yield
    }
    func.return
  }
}
