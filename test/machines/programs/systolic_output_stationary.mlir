// RUN: opt-tool %s -p attach-machine{target=%S/../systolic.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Output-stationary matmul of 64x64x64: the 16x16 sums of a tile stay in ACC while k runs; bias starts them by a
// broadcast transfer, and the transfer out scales and clips them to i8. A is in SPAD in blocks of 16 columns.
builtin.module {
  func.func @network(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %bias: memref<1x64xi32>, %c: memref<64x64xi8> {tilewright.output}) {
    hier.grid (%i) in [4]
        ins(%pa = %a[%i * 16, 0] [16, 64] in "SPAD" layout affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)> address 0 stages 2 : memref<64x64xi8>,
            %pb = %b : memref<64x64xi8>,
            %pbias = %bias : memref<1x64xi32>)
        outs(%pc = %c[%i * 16, 0] [16, 64] : memref<64x64xi8>) {
      hier.grid (%j, %k) in [4, 4]
          ins(%ta = %pa[0, %k * 16] [16, 16] : memref<16x64xi8, affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>, "SPAD">,
              %tb = %pb[%k * 16, %j * 16] [16, 16] in "SPAD" address 2048 stages 2 : memref<64x64xi8>,
              %start = %pbias[0, %j * 16] [16, 16] starts 0 broadcast [0] : memref<1x64xi32>)
          outs(%tc = %pc[0, %j * 16] [16, 16] in "ACC" as i32 address 0 stages 2 : memref<16x64xi8, strided<[64, 1], offset: ?>> (%v: i32) {
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
        nn.matmul ins(%ta, %tb : memref<16x16xi8, strided<[16, 1], offset: ?>, "SPAD">, memref<16x16xi8, "SPAD">) outs(%tc : memref<16x16xi32, "ACC">) {accumulator = i32, accumulate, engine = "array", hier.kernel = {bounds = array<i64: 64, 64, 64>, shapes = [array<i64: 64, 64>, array<i64: 64, 64>, array<i64: 64, 64>], starts = affine_map<(d0, d1, d2) -> (0, d1)>, operand = array<i64: 1, 64>}}
        hier.yield
      }
      hier.yield
    }
    func.return
  }
}
