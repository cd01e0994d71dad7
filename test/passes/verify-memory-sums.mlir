// RUN: opt-tool %s -p verify-memory | filecheck %s

// A reduction goes on from the tile that its sums are written back to.

// CHECK: nn.matmul
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %c: memref<4x4xi32>, %o: memref<4x4xi32>) {
  %near = memref.get_global @L1 : memref<96xi8, "L1">
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %16 = arith.constant 16 : index
  %24 = arith.constant 24 : index
  %ta = memref.view %near[%0][] : memref<96xi8, "L1"> to memref<4x2xi8, "L1">
  %tb = memref.view %near[%16][] : memref<96xi8, "L1"> to memref<2x4xi8, "L1">
  %to = memref.view %near[%24][] : memref<96xi8, "L1"> to memref<4x4xi32, "L1">
  %c0 = hier.dma_start %o[%0, %0] to %to : memref<4x4xi32>, memref<4x4xi32, "L1">
  hier.dma_wait %c0
  scf.for %k = %0 to %3 step %1 {
    %at = arith.muli %k, %2 : index
    %ra = hier.dma_start %a[%0, %at] to %ta : memref<4x6xi8>, memref<4x2xi8, "L1">
    hier.dma_wait %ra
    %rb = hier.dma_start %b[%at, %0] to %tb : memref<6x4xi8>, memref<2x4xi8, "L1">
    hier.dma_wait %rb
    nn.matmul ins(%ta, %tb : memref<4x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<4x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
  }
  %w = hier.dma_start %o[%0, %0] from %to : memref<4x4xi32>, memref<4x4xi32, "L1">
  hier.dma_wait %w
  func.return
}

// A kernel that adds to what its output holds does so in tiles as well.

// CHECK: func.func @rows
// CHECK: linalg.generic
func.func @rows(%x: memref<4x6xi32>, %o: memref<4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%o : memref<4xi32>)
  hier.grid (%i) in [2]
      ins(%tx = %x[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi32>,
          %held = %o[%i * 2] [2] in "L1" address 48 : memref<4xi32>)
      outs(%to = %o[%i * 2] [2] in "L1" address 56 : memref<4xi32>) {
    memref.copy %held, %to : memref<2xi32, "L1"> to memref<2xi32, "L1">
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%tx : memref<2x6xi32, "L1">) outs(%to : memref<2xi32, "L1">) attrs = {hier.kernel = {bounds = array<i64: 4, 6>, shapes = [array<i64: 4, 6>, array<i64: 4>]}} {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
    hier.yield
  }
  func.return
}
memref.global "private" @L1 : memref<96xi8, "L1"> = uninitialized {alignment = 16 : i64}
