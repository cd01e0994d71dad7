// RUN: opt-tool %s -p attach-machine{target=%S/../systolic.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Weight-stationary matmul of 64x64x64: a 16x16 tile of B stays while 64 rows of A pass it; their sums, 64x16, stay in
// ACC while k runs.
builtin.module {
  func.func @network(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %bias: memref<1x64xi32>, %c: memref<64x64xi8> {tilewright.output}) {
    hier.grid (%j, %k) in [4, 4]
        ins(%pa = %a[0, %k * 16] [64, 16] in "SPAD" address 0 stages 2 : memref<64x64xi8>,
            %pb = %b[%k * 16, %j * 16] [16, 16] in "SPAD" address 2048 stages 2 : memref<64x64xi8>,
            %start = %bias[0, %j * 16] [64, 16] starts 0 broadcast [0] : memref<1x64xi32>)
        outs(%pc = %c[0, %j * 16] [64, 16] in "ACC" as i32 address 0 stages 2 : memref<64x64xi8> (%v: i32) {
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
      hier.grid (%i) in [4]
          ins(%ta = %pa[%i * 16, 0] [16, 16] : memref<64x16xi8, "SPAD">,
              %tb = %pb : memref<16x16xi8, "SPAD">)
          outs(%tc = %pc[%i * 16, 0] [16, 16] : memref<64x16xi32, "ACC">) {
        nn.matmul ins(%ta, %tb : memref<16x16xi8, strided<[16, 1], offset: ?>, "SPAD">, memref<16x16xi8, "SPAD">) outs(%tc : memref<16x16xi32, strided<[16, 1], offset: ?>, "ACC">) {accumulator = i32, accumulate, engine = "array", hier.kernel = {bounds = array<i64: 64, 64, 64>, shapes = [array<i64: 64, 64>, array<i64: 64, 64>, array<i64: 64, 64>], starts = affine_map<(d0, d1, d2) -> (0, d1)>, operand = array<i64: 1, 64>}}
        hier.yield
      }
      hier.yield
    }
    func.return
  }
}
