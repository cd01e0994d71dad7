// RUN: opt-tool %s --target gemmini --split-input-file -p attach-machine{target=gemmini},lower-to-gemmini | filecheck %s

// Tiles of three blocks whose last one is shorter: the others are loaded as one, the last one's blocks one by one.

// CHECK-LABEL: func.func private @read_tile_0
// CHECK:         %[[WHOLE:.*]] = arith.divsi %{{.*}}, %c48
// CHECK:         scf.for %b = %{{.*}} to %[[WHOLE]]
// CHECK:           gemmini.mvin_blocks {{.*}}blocks = 3 : i64
// CHECK:         scf.for
// CHECK:           gemmini.mvin %
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<16x200xi8>, %near: memref<16x48xi8, #columns, "SPAD">) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %tiles = arith.constant 5 : index
  %columns = arith.constant 48 : index
  scf.for %tile = %z to %tiles step %one {
    %i = arith.muli %tile, %columns : index
    %t = hier.dma_start %far[%z, %i] to %near clipped fill 0 : i8 : memref<16x200xi8>, memref<16x48xi8, #columns, "SPAD">
    hier.dma_wait %t
  }
  func.return
}

// -----

// Of five blocks, four are loaded as one.

// CHECK-LABEL: func.func private @read_tile_0
// CHECK:         arith.divsi %{{.*}}, %c64
// CHECK:           gemmini.mvin_blocks {{.*}}blocks = 4 : i64
#columns = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
func.func @network(%far: memref<16x200xi8>, %near: memref<16x80xi8, #columns, "SPAD">) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %tiles = arith.constant 3 : index
  %columns = arith.constant 80 : index
  scf.for %tile = %z to %tiles step %one {
    %i = arith.muli %tile, %columns : index
    %t = hier.dma_start %far[%z, %i] to %near clipped fill 0 : i8 : memref<16x200xi8>, memref<16x80xi8, #columns, "SPAD">
    hier.dma_wait %t
  }
  func.return
}
