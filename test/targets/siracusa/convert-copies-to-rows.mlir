// RUN: opt-tool %s -p 'attach-machine{target=siracusa/cluster},convert-copies-to-rows,fork-kernels' | filecheck %s

// Rows that are contiguous on both sides go to the cores; the source has gaps, so that a row is one of 32 bytes.

// CHECK-LABEL: func.func private @rows_core
// CHECK:         scf.for %i0 = %first to %last step
// CHECK-NEXT:      cluster.copy %x[%i0, %c0], %y[%i0, %c0], %c32
// CHECK-LABEL: func.func private @rows
// CHECK-SAME:    engine = "cluster"
// CHECK-NEXT:    hier.fork @rows_core
func.func private @rows(%x: memref<16x32xi8, strided<[64, 1]>>, %y: memref<16x32xi8>) {
  memref.copy %x, %y : memref<16x32xi8, strided<[64, 1]>> to memref<16x32xi8>
  func.return
}

// A contiguous buffer of three rows is cut into stretches; the last core copies what is left of each row.

// CHECK-LABEL: func.func private @stretches_core
// CHECK:         cluster.copy %x[%{{.*}}, %{{.*}}], %y[%{{.*}}, %{{.*}}], %c16
// CHECK:         cluster.copy %x[%{{.*}}, %{{.*}}], %y[%{{.*}}, %{{.*}}], %c4
func.func private @stretches(%x: memref<3x100xi8>, %y: memref<3x100xi8>) {
  memref.copy %x, %y : memref<3x100xi8> to memref<3x100xi8>
  func.return
}

// Elements of other types make rows, too; rows with gaps are copied by elements.

// CHECK-LABEL: func.func private @words_core
// CHECK:         scf.for %s = %first to %last step
// CHECK:           cluster.copy %x[%{{.*}}, %c0], %y[%{{.*}}, %c0], %c24
// CHECK-LABEL: func.func private @gaps_core
// CHECK:         memref.store
func.func private @words(%x: memref<64x3xi32>, %y: memref<64x3xi32>) {
  memref.copy %x, %y : memref<64x3xi32> to memref<64x3xi32>
  func.return
}
func.func private @gaps(%x: memref<64xi8, strided<[2]>>, %y: memref<64xi8>) {
  memref.copy %x, %y : memref<64xi8, strided<[2]>> to memref<64xi8>
  func.return
}
