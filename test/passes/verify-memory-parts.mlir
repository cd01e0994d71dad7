// RUN: opt-tool %s -p verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory | filecheck %s

// A panel: whole rows stay while the reduction is cut for the other operand. Each step uses a part of it.

// CHECK: memref.subview
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 2 : index
    %at = arith.muli %k, %by : index
    %part = memref.subview %ta[0, %at] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%part, %tb : memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}
