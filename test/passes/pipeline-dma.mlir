// RUN: opt-tool %s -p expand-grid,pipeline-dma | filecheck %s

// Two buffers: the first tile is fetched before the loop, each next one while the one before is worked on. One buffer
// for what is written: it is waited for before the next tile is worked on, and after the loop.

// CHECK-LABEL: func.func @ahead
// CHECK:         %[[FIRST:.*]] = hier.dma_start %a[%{{.*}}] to %{{.*}} clipped fill 0
// CHECK-NOT:     dma_wait
// CHECK:         %[[NONE:.*]] = hier.dma_none
// CHECK-NEXT:    %{{.*}}, %[[END:.*]] = scf.for %step = {{.*}} iter_args(%[[THIS:.*]] = %[[FIRST]], %[[WRITE:.*]] = %[[NONE]])
// CHECK:           %[[STEP:.*]] = arith.addi %step
// CHECK:           %[[MORE:.*]] = arith.cmpi slt, %[[STEP]]
// CHECK-NEXT:      %[[NEXT:.*]] = scf.if %[[MORE]] -> (!hier.token) {
// CHECK:             %[[TOKEN:.*]] = hier.dma_start %a
// CHECK-NEXT:        scf.yield %[[TOKEN]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[IDLE:.*]] = hier.dma_none
// CHECK-NEXT:        scf.yield %[[IDLE]]
// CHECK-NEXT:      }
// CHECK-NEXT:      hier.dma_wait %[[THIS]]
// CHECK-NEXT:      hier.dma_wait %[[WRITE]]
// CHECK:           memref.copy
// CHECK-NEXT:      %[[OUT:.*]] = hier.dma_start %c
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[OUT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    hier.dma_wait %[[END]]
// CHECK-NEXT:    func.return
func.func @ahead(%a: memref<20xi8>, %c: memref<20xi8>) {
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 8] [8] in "L1" address 0 stages 2 fill 0 : i8 : memref<20xi8>)
      outs(%tc = %c[%i * 8] [8] in "L1" address 16 : memref<20xi8>) {
    memref.copy %ta, %tc : memref<8xi8, "L1"> to memref<8xi8, "L1">
    hier.yield
  }
  func.return
}

// One buffer: fetched in its step. What stays is fetched before the loop, and waited for there. A tile that stays for
// two steps is written after the second, and awaited two tiles later, where there are two buffers.

// CHECK-LABEL: func.func @stays
// CHECK:         %[[W:.*]] = hier.dma_start %w
// CHECK-NEXT:    hier.dma_wait %[[W]]
// CHECK:         scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[NEW:.*]] = %{{.*}})
// CHECK-NOT:       dma_start %w
// CHECK:           %[[A:.*]] = hier.dma_start %a{{.*}} to %ta :
// CHECK-NEXT:      hier.dma_wait %[[A]]
// CHECK:           scf.if
// CHECK-NEXT:        hier.dma_wait %[[OLD]]
// CHECK-NEXT:      }
// CHECK:           linalg.generic
// CHECK:           %[[TOKENS:.*]], %{{.*}} = scf.if %{{.*}} -> (!hier.token, !hier.token) {
// CHECK-NEXT:        %[[OUT:.*]] = hier.dma_start %c
// CHECK-NEXT:        scf.yield %[[NEW]], %[[OUT]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[OLD]], %[[NEW]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[TOKENS]]
// CHECK-NEXT:    }
// CHECK-NEXT:    hier.dma_wait
// CHECK-NEXT:    hier.dma_wait
// CHECK-NEXT:    func.return
func.func @stays(%a: memref<6x8xi8>, %w: memref<4xi8>, %c: memref<6x4xi8>) {
  hier.grid (%i, %j) in [6, 2]
      ins(%ta = %a[%i, %j * 4] [1, 4] in "L1" address 0 : memref<6x8xi8>,
          %tw = %w in "L1" address 8 : memref<4xi8>)
      outs(%tc = %c[%i, 0] [1, 4] in "L1" address 16 stages 2 : memref<6x4xi8>) {
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                     affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%ta, %tw : memref<1x4xi8, "L1">, memref<4xi8, "L1">) outs(%tc : memref<1x4xi8, "L1">) {
    ^bb1(%x: i8, %y: i8, %z: i8):
      %s = arith.addi %x, %y : i8
      linalg.yield %s : i8
    }
    hier.yield
  }
  func.return
}

// A grid in a grid: the inner loop has its transfers to itself, in each step of the outer one.

// CHECK-LABEL: func.func @nested
// CHECK:         hier.dma_start %a
// CHECK:         scf.for {{.*}} iter_args(%[[OUTER:.*]] =
// CHECK:           hier.dma_wait %[[OUTER]]
// CHECK:           %[[FIRST:.*]] = hier.dma_start %[[TILE:.*]][
// CHECK-SAME:          memref<8xi8, "L2">, memref<4xi8, "L1">
// CHECK:           scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[FIRST]]
// CHECK:             hier.dma_start %[[TILE]]
// CHECK:             hier.dma_wait %[[INNER]]
// CHECK:           }
func.func @nested(%a: memref<16xi8>, %c: memref<4xi8>) {
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 8] [8] in "L2" address 0 stages 2 : memref<16xi8>)
      outs(%tc = %c : memref<4xi8>) {
    hier.grid (%j) in [2]
        ins(%tta = %ta[%j * 4] [4] in "L1" address 0 stages 2 : memref<8xi8, "L2">)
        outs(%ttc = %tc : memref<4xi8>) {
      memref.copy %tta, %ttc : memref<4xi8, "L1"> to memref<4xi8>
      hier.yield
    }
    hier.yield
  }
  func.return
}

// A ring of three buffers in which sums start from an operand: the next tile starts while this one is computed, after
// the wait for the write from its buffer, two tiles before. Two writes are in flight.

// CHECK-LABEL: func.func @started
// CHECK:         %[[A0:.*]] = hier.dma_start %a
// CHECK:         %[[B0:.*]] = hier.dma_start %b
// CHECK-NOT:     dma_wait
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]], %[[OLD:[0-9]+]] = %{{.*}}, %[[NEW:[0-9]+]] = %{{.*}})
// CHECK:           hier.dma_start %a
// CHECK:           hier.dma_wait %[[A]]
// CHECK:           hier.dma_wait %[[OLD]]
// CHECK:           %[[NEXT:.*]] = scf.if
// CHECK:             hier.dma_start %b
// CHECK:           hier.dma_wait %[[B]]
// CHECK-NEXT:      linalg.add
// CHECK-NEXT:      %[[OUT:.*]] = hier.dma_start %c
// CHECK-NEXT:      scf.yield %{{.*}}, %[[NEXT]], %[[NEW]], %[[OUT]]
func.func @started(%a: memref<64xi8>, %b: memref<64xi8>, %c: memref<64xi8>) {
  hier.grid (%i) in [4]
      ins(%ta = %a[%i * 16] [16] in "L1" address 0 stages 2 : memref<64xi8>,
          %s = %b[%i * 16] [16] starts 0 : memref<64xi8>)
      outs(%tc = %c[%i * 16] [16] in "L1" address 32 stages 3 : memref<64xi8>) {
    linalg.add ins(%ta, %tc : memref<16xi8, "L1">, memref<16xi8, "L1">) outs(%tc : memref<16xi8, "L1">)
    hier.yield
  }
  func.return
}

// Two buffers: one is computed, the other may be on its way out, so that sums start in their own step. Of two tiles,
// neither comes back to a buffer, and the second starts while the first is computed.

// CHECK-LABEL: func.func @in_its_step
// CHECK:         scf.for
// CHECK:           hier.dma_start %a
// CHECK:           hier.dma_wait
// CHECK:           hier.dma_wait
// CHECK:           %[[B:.*]] = hier.dma_start %b
// CHECK-NEXT:      hier.dma_wait %[[B]]
// CHECK-NEXT:      linalg.add
func.func @in_its_step(%a: memref<64xi8>, %b: memref<64xi8>, %c: memref<64xi8>) {
  hier.grid (%i) in [4]
      ins(%ta = %a[%i * 16] [16] in "L1" address 0 stages 2 : memref<64xi8>,
          %s = %b[%i * 16] [16] starts 0 : memref<64xi8>)
      outs(%tc = %c[%i * 16] [16] in "L1" address 32 stages 2 : memref<64xi8>) {
    linalg.add ins(%ta, %tc : memref<16xi8, "L1">, memref<16xi8, "L1">) outs(%tc : memref<16xi8, "L1">)
    hier.yield
  }
  func.return
}

// CHECK-LABEL: func.func @of_two
// CHECK:         hier.dma_start %b
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             hier.dma_start %b
func.func @of_two(%a: memref<32xi8>, %b: memref<32xi8>, %c: memref<32xi8>) {
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 16] [16] in "L1" address 0 stages 2 : memref<32xi8>,
          %s = %b[%i * 16] [16] starts 0 : memref<32xi8>)
      outs(%tc = %c[%i * 16] [16] in "L1" address 32 stages 2 : memref<32xi8>) {
    linalg.add ins(%ta, %tc : memref<16xi8, "L1">, memref<16xi8, "L1">) outs(%tc : memref<16xi8, "L1">)
    hier.yield
  }
  func.return
}
