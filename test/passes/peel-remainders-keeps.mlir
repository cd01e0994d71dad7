// RUN: opt-tool %s -p peel-remainders | filecheck %s

// Not asked to be unrolled.
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @plain(%a: memref<13xi8>, %x: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  scf.for %i = %c0 to %c13 step %c1 {
    memref.store %x, %a[%i] : memref<13xi8>
  }
  func.return
}

// The factor leaves nothing over.
// CHECK-LABEL: func.func @divides
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @divides(%a: memref<12xi8>, %x: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    memref.store %x, %a[%i] : memref<12xi8>
  } {tilewright.unroll = 4 : i64}
  func.return
}

// Fewer iterations than the factor.
// CHECK-LABEL: func.func @short
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @short(%a: memref<3xi8>, %x: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %x, %a[%i] : memref<3xi8>
  } {tilewright.unroll = 4 : i64}
  func.return
}

// Of a length that is known when it runs.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
func.func @unknown(%a: memref<13xi8>, %x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<13xi8>
  } {tilewright.unroll = 4 : i64}
  func.return
}
