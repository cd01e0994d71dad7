// RUN: opt-tool %s -p promote-single-iterations > %t && opt-tool %s | diff - %t

// Loops of two iterations, of none, and of a length that is not known.

func.func @kept(%a: memref<8xi8>, %x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %x, %a[%i] : memref<8xi8>
  }
  scf.for %i = %c2 to %c2 step %c1 {
    memref.store %x, %a[%i] : memref<8xi8>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<8xi8>
  }
  func.return
}
