// RUN: opt-tool %s -p scf-forall-to-for | filecheck %s

// Parallel loops stay.
// CHECK: scf.parallel
// CHECK-NOT: scf.for
func.func @f(%m: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  func.return
}
