// RUN: opt-tool %s -p verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory | filecheck %s

// A grid that is right is accepted as it stands and with its transfers explicit.

// CHECK-LABEL: func.func @network
// CHECK:         hier.dma_start
func.func @network(%a: memref<16x64xi8>, %b: memref<64x25xi8>, %c: memref<16x25xi32> {tilewright.output}) {
  hier.grid (%i, %j) in [2, 3]
      ins(%ta = %a[%i * 8, 0] [8, 64] in "L1" address 0 : memref<16x64xi8>,
          %tb = %b[0, %j * 10] [64, 10] in "L1" address 512 stages 2 fill 0 : i8 : memref<64x25xi8>)
      outs(%tc = %c[%i * 8, %j * 10] [8, 10] in "L1" address 1792 stages 2 : memref<16x25xi32>) {
    nn.matmul ins(%ta, %tb : memref<8x64xi8, "L1">, memref<64x10xi8, "L1">) outs(%tc : memref<8x10xi32, "L1">)
        {accumulator = i32}
    hier.yield
  }
  func.return
}
