// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// The sums start from twice another operand, the whole kernel's from 0.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %c: memref<4x4xi32>, %o: memref<4x4xi32> {tilewright.output}) {
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>,
          %tc = %c[%i * 2, 0] [2, 4] in "L1" address 64 : memref<4x4xi32>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    hier.first %k {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%tc : memref<2x4xi32, "L1">) outs(%to : memref<2x4xi32, "L1">) {
      ^bb0(%x: i32, %y: i32):
        %z = arith.addi %x, %x : i32
        linalg.yield %z : i32
      }
    }
    // expected-error@+1 {{the sums of 'nn.matmul' start from what 'linalg.generic' leaves in operand 3 (%o) of the grid (rule 'whole-kernel')}}
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// They start from another operand.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %c: memref<4x4xi32>, %o: memref<4x4xi32> {tilewright.output}) {
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>,
          %tc = %c[%i * 2, 0] [2, 4] in "L1" address 64 : memref<4x4xi32>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    hier.first %k {
      memref.copy %tc, %to : memref<2x4xi32, "L1"> to memref<2x4xi32, "L1">
    }
    // expected-error@+1 {{the sums of 'nn.matmul' start from a copy of operand 2 (%c) in operand 3 (%o) of the grid (rule 'whole-kernel')}}
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// Among explicit transfers they start from it where the result is written to another.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %c: memref<4x4xi32>, %o: memref<4x4xi32> {tilewright.output}) {
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
  %c0 = hier.dma_start %c[%0, %0] to %to : memref<4x4xi32>, memref<4x4xi32, "L1">
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
  // expected-error@+1 {{the sums of 'nn.matmul' begin as a copy of another tile than they are written to (rule 'whole-kernel')}}
  %w = hier.dma_start %o[%0, %0] from %to : memref<4x4xi32>, memref<4x4xi32, "L1">
  hier.dma_wait %w
  func.return
}
memref.global "private" @L1 : memref<96xi8, "L1"> = uninitialized {alignment = 16 : i64}

// -----

// And from what another kernel leaves.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %c: memref<4x4xi32>, %o: memref<4x4xi32> {tilewright.output}) {
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
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%to : memref<4x4xi32, "L1">) {
  ^bb0(%x: i32):
    %z = linalg.index 0 : index
    %y = arith.index_cast %z : index to i32
    linalg.yield %y : i32
  }
  scf.for %k = %0 to %3 step %1 {
    %at = arith.muli %k, %2 : index
    %ra = hier.dma_start %a[%0, %at] to %ta : memref<4x6xi8>, memref<4x2xi8, "L1">
    hier.dma_wait %ra
    %rb = hier.dma_start %b[%at, %0] to %tb : memref<6x4xi8>, memref<2x4xi8, "L1">
    hier.dma_wait %rb
    // expected-error@+1 {{'nn.matmul' adds to what is not the beginning of its sums at this step (rule 'whole-kernel')}}
    nn.matmul ins(%ta, %tb : memref<4x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<4x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
  }
  %w = hier.dma_start %o[%0, %0] from %to : memref<4x4xi32>, memref<4x4xi32, "L1">
  hier.dma_wait %w
  func.return
}
memref.global "private" @L1 : memref<96xi8, "L1"> = uninitialized {alignment = 16 : i64}

// -----

// The whole kernel adds to what its output holds; the tiles drop that.
func.func @network(%x: memref<4x6xi32>, %o: memref<4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%o : memref<4xi32>)
  hier.grid (%i) in [2]
      ins(%tx = %x[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi32>)
      outs(%to = %o[%i * 2] [2] in "L1" address 48 : memref<4xi32>) {
    linalg.fill ins(%zero : i32) outs(%to : memref<2xi32, "L1">)
    // expected-error@+1 {{the sums of 'linalg.generic' start from what 'linalg.fill' leaves in operand 1 (%o) of the grid (rule 'whole-kernel')}}
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%tx : memref<2x6xi32, "L1">) outs(%to : memref<2xi32, "L1">) attrs = {hier.kernel = {bounds = array<i64: 4, 6>, shapes = [array<i64: 4, 6>, array<i64: 4>]}} {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
    hier.yield
  }
  func.return
}

// -----

// So do the tiles of this program of transfers.
func.func @network(%x: memref<4x6xi32>, %o: memref<4xi32> {tilewright.output}) {
  %near = memref.get_global @L1 : memref<64xi8, "L1">
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %48 = arith.constant 48 : index
  %zero = arith.constant 0 : i32
  %tx = memref.view %near[%0][] : memref<64xi8, "L1"> to memref<2x6xi32, "L1">
  %to = memref.view %near[%48][] : memref<64xi8, "L1"> to memref<2xi32, "L1">
  linalg.fill ins(%zero : i32) outs(%o : memref<4xi32>)
  scf.for %i = %0 to %2 step %1 {
    %at = arith.muli %i, %2 : index
    %in = hier.dma_start %x[%at, %0] to %tx : memref<4x6xi32>, memref<2x6xi32, "L1">
    hier.dma_wait %in
    linalg.fill ins(%zero : i32) outs(%to : memref<2xi32, "L1">)
    // expected-error@+1 {{'linalg.generic' adds to what is not the beginning of its sums at this step (rule 'whole-kernel')}}
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%tx : memref<2x6xi32, "L1">) outs(%to : memref<2xi32, "L1">) attrs = {hier.kernel = {bounds = array<i64: 4, 6>, shapes = [array<i64: 4, 6>, array<i64: 4>]}} {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      linalg.yield %s : i32
    }
    %out = hier.dma_start %o[%at] from %to : memref<4xi32>, memref<2xi32, "L1">
    hier.dma_wait %out
  }
  func.return
}
memref.global "private" @L1 : memref<64xi8, "L1"> = uninitialized {alignment = 16 : i64}
