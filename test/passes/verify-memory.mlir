// RUN: opt-tool %s -p verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory | filecheck %s

// A grid that is right is accepted as it stands and with its transfers explicit.

// CHECK-LABEL: func.func @network
// CHECK:         hier.dma_start
func.func @network(%a: memref<16x64xi8>, %b: memref<64x25xi8>, %c: memref<16x25xi32> {tilewright.output}) {
  hier.grid [2, 3] ins(%a, %b : memref<16x64xi8>, memref<64x25xi8>) outs(%c : memref<16x25xi32>)
      tiles [#hier.tile<[8, 64] at affine_map<(d0, d1) -> (d0 * 8, 0)> in "L1" address 0>,
             #hier.tile<[64, 10] at affine_map<(d0, d1) -> (0, d1 * 10)> in "L1" address 512 stages 2 fill 0 : i8>,
             #hier.tile<[8, 10] at affine_map<(d0, d1) -> (d0 * 8, d1 * 10)> in "L1" address 1792 stages 2>] {
  ^bb0(%i: index, %j: index, %ta: memref<8x64xi8, "L1">, %tb: memref<64x10xi8, "L1">, %tc: memref<8x10xi32, "L1">):
    nn.matmul ins(%ta, %tb : memref<8x64xi8, "L1">, memref<64x10xi8, "L1">) outs(%tc : memref<8x10xi32, "L1">)
        {accumulator = i32}
    hier.yield
  }
  func.return
}
