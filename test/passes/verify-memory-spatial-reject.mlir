// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// Two copies write the same rows.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{an element of operand 1 (%c) of the grid is written by two engine instances (rule 'written-once')}}
  hier.grid (%i, %j, %k) in [2, 4, 2] spatial [0]
      ins(%ta = %a[%j * 2, %k * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%j * 2, %k * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// A row of tiles is left out by the copies.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{an element of operand 1 (%c) of the grid is in no tile (rule 'written-once')}}
  hier.grid (%i, %j) in [3, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// In time the tile would stay while the outer dimension runs; each copy has it to itself, and comes back to it.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{a tile of operand 1 (%c) of the grid is left and taken up again (rule 'written-once')}}
  hier.grid (%i, %j, %k) in [2, 2, 4] spatial [2]
      ins(%ta = %a[%k * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%k * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// A copy reads what another one writes: in the order of the grid this would be before.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{operand 0 (%c) of the grid is read after operand 1 (%c), the same memory, has been written (rule 'in-place')}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %c[%i * -2 + 6, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// A copy reads the rows that come after its own, which another one writes.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{operand 0 (%c) of the grid is read after operand 1 (%c), the same memory, has been written (rule 'in-place')}}
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %c[%i * 2 + 2, %j * 4] [2, 4] in "L1" address 0 fill 0 : i8 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// The two buffers of copy 0 reach into those of copy 1.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the buffers of operand 0 (%a) and operand 1 (%c) of the grid overlap in L1 (rule 'disjoint')}}
  hier.grid (%i, %j) in [4, 2] spatial [0] strides {L1 = 8 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// A buffer of one copy reaches into that of the next.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  // expected-error@+1 {{the buffers of operand 0 (%a) of the grid overlap in L1 (rule 'disjoint')}}
  hier.grid (%i, %j) in [4, 2] spatial [0] strides {L1 = 4 : i64}
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 64 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// All copies would write to one buffer.
func.func @network(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  %all = memref.alloc() : memref<2x4xi8, "L1">
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    // expected-error@+1 {{'memref.copy' writes %all from outside of the grid on each of 4 copies (rule 'race')}}
    memref.copy %ta, %all : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    memref.copy %all, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Each copy would have a part of the sums, and write it over those of the others.
func.func @network(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{an element of operand 2 (%o) of the grid is written by two engine instances (rule 'written-once')}}
  hier.grid (%i, %k) in [2, 3] spatial [1]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 8 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 16 : memref<4x4xi32>) {
    linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate}
    hier.yield
  }
  func.return
}

// -----

// Two iterations of a parallel loop write the same bytes of a level.
memref.global "private" @near : memref<8xi8, "L1"> = uninitialized
func.func @network(%a: memref<16xi8>, %c: memref<16xi8> {tilewright.output}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %8 = arith.constant 8 : index
  %near = memref.get_global @near : memref<8xi8, "L1">
  "scf.parallel"(%0, %2, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %at = arith.muli %i, %8 : index
    // expected-error@+1 {{'hier.dma_start' writes the tile's buffer, which another iteration of the parallel loop touches (rule 'race')}}
    %t = hier.dma_start %a[%at] to %near : memref<16xi8>, memref<8xi8, "L1">
    hier.dma_wait %t
    %u = hier.dma_start %c[%at] from %near : memref<16xi8>, memref<8xi8, "L1">
    hier.dma_wait %u
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// The second iteration reads what the first has written.
memref.global "private" @near : memref<16xi8, "L1"> = uninitialized
func.func @network(%a: memref<8xi8>, %c: memref<16xi8> {tilewright.output}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %8 = arith.constant 8 : index
  %near = memref.get_global @near : memref<16xi8, "L1">
  "scf.parallel"(%0, %2, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %at = arith.muli %i, %8 : index
    %own = memref.view %near[%at][] : memref<16xi8, "L1"> to memref<8xi8, "L1">
    %first = memref.view %near[%0][] : memref<16xi8, "L1"> to memref<8xi8, "L1">
    %t = hier.dma_start %a[%0] to %own : memref<8xi8>, memref<8xi8, "L1">
    hier.dma_wait %t
    // expected-error@+1 {{'hier.dma_start' reads the tile's buffer, which another iteration of the parallel loop writes (rule 'race')}}
    %u = hier.dma_start %c[%at] from %first : memref<16xi8>, memref<8xi8, "L1">
    hier.dma_wait %u
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Each copy has a part of the sums of the whole kernel, which no one adds up.
func.func @network(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<12x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i) in [3] spatial [0]
      ins(%ta = %a[0, %i * 2] [4, 2] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%i * 2, 0] [2, 4] in "L1" address 8 : memref<6x4xi8>)
      outs(%to = %o[%i * 4, 0] [4, 4] in "L1" address 16 : memref<12x4xi32>)
      scratch(%sum : memref<4x4xi32, "L1"> address 80) {
    linalg.fill ins(%zero : i32) outs(%sum : memref<4x4xi32, "L1">)
    // expected-error@+1 {{'nn.matmul' adds up over d0 in scratch 0 (%sum) of the grid: each copy has its own sums (rule 'whole-kernel')}}
    nn.matmul ins(%ta, %tb : memref<4x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%sum : memref<4x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    memref.copy %sum, %to : memref<4x4xi32, "L1"> to memref<4x4xi32, "L1">
    hier.yield
  }
  func.return
}
