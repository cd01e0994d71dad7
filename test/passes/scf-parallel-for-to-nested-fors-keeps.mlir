// RUN: opt-tool %s -p scf-parallel-for-to-nested-fors | filecheck %s

// Loops of independent iterations with shared outputs stay: scf-forall-to-for is for them.
// CHECK: scf.forall
// CHECK-NOT: scf.for %
func.func @f(%m: memref<8xf32>, %x: f32) {
  scf.forall (%i) in (8) {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  func.return
}
