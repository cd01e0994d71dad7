// RUN: opt-tool %s -p convert-dma-to-cluster | filecheck %s

// A tile of whole rows is one transfer of one row; one of parts of rows is one of as many rows, as they lie side by side
// in near memory; of one that may hang over its sides, the rows are transfers of their own where they do.

// CHECK-LABEL: func.func private @read_tile_0
// CHECK-SAME:    -> i32
// CHECK:         %[[G:.*]] = cluster.dma_begin : i32
// CHECK:         cluster.dma_in %far[%{{.*}}, %{{.*}}], %near[%{{.*}}, %{{.*}}] rows %[[ONE:.*]] of
// CHECK:         func.return %[[G]] : i32
// CHECK-LABEL: func.func private @read_tile_1
// CHECK:         cluster.dma_in
// CHECK-SAME:    axis = 0
// CHECK-NOT:     scf.for
// CHECK-LABEL: func.func private @read_tile_2
// Only what is out of bounds is filled: whole rows above and below at once, then the ends of the others.
// CHECK:         scf.if %{{.*}} {
// CHECK-NOT:       memref.store
// CHECK:           cluster.fill %near[%{{.*}}, %{{.*}}], %{{.*}} {value = 0 : i64}
// CHECK:           cluster.fill %near[%{{.*}}, %{{.*}}], %{{.*}} {value = 0 : i64}
// CHECK:           scf.for
// CHECK:             cluster.fill
// CHECK:           scf.for
// CHECK:             cluster.fill
// CHECK:         cluster.dma_begin
// CHECK:         scf.if %{{.*}} {
// CHECK-NOT:       scf.for
// CHECK:           cluster.dma_in
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             cluster.dma_in
// CHECK-LABEL: func.func private @write_tile_3
// CHECK:         cluster.dma_out
// CHECK-LABEL: func.func @network
// CHECK:         %[[T:.*]] = func.call @read_tile_0
// CHECK:         cluster.dma_wait %[[T]] : i32
func.func @network(%x: memref<16x64xi8>, %y: memref<16x64xi8>, %i: index) {
  %zero = arith.constant 0 : index
  %m = memref.alloc() : memref<8x64xi8, "L1">
  %n = memref.alloc() : memref<8x32xi8, "L1">
  %t = hier.dma_start %x[%i, %zero] to %m : memref<16x64xi8>, memref<8x64xi8, "L1">
  hier.dma_wait %t
  %u = hier.dma_start %x[%i, %zero] to %n : memref<16x64xi8>, memref<8x32xi8, "L1">
  hier.dma_wait %u
  %v = hier.dma_start %x[%i, %i] to %n clipped fill 0 : i8 : memref<16x64xi8>, memref<8x32xi8, "L1">
  hier.dma_wait %v
  %w = hier.dma_start %y[%i, %zero] from %n : memref<16x64xi8>, memref<8x32xi8, "L1">
  hier.dma_wait %w
  func.return
}
