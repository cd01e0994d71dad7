// RUN: opt-tool %s -p scf-parallel-for-to-nested-fors --interpret-each | filecheck %s
// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s --check-prefix=C

// CHECK:      %r, %r_1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%[[A:.*]] = %x, %[[B:.*]] = %y) -> (f32, i32) {
// CHECK-NEXT:   %{{.*}}, %{{.*}} = scf.for %j = %c1 to %c4 step %c2 iter_args(%a = %[[A]], %c = %[[B]]) -> (f32, i32) {
// CHECK-NEXT:     %v = memref.load %m[%i, %j] : memref<4x4xf32>
// CHECK-NEXT:     %w = memref.load %k[%i, %j] : memref<4x4xi32>
// CHECK-NEXT:     %s = arith.addf %a, %v : f32
// CHECK-NEXT:     %t = arith.xori %c, %w : i32
// CHECK-NEXT:     scf.yield %s, %t : f32, i32
// C:          for (int32_t i = 0; i < 4; ++i) {
// C-NEXT:         for (int32_t j = 1; j < 4; j += 2) {
// C-NEXT:             {{.*}} += m[
func.func @f(%m: memref<4x4xf32>, %k: memref<4x4xi32>, %x: f32, %y: i32, %out: memref<1xf32>, %bits: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.parallel (%i, %j) = (%c0, %c1) to (%c4, %c4) step (%c1, %c2) init (%x, %y) -> (f32, i32) {
    %v = memref.load %m[%i, %j] : memref<4x4xf32>
    %w = memref.load %k[%i, %j] : memref<4x4xi32>
    scf.reduce(%v, %w : f32, i32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%c: i32, %d: i32):
      %t = arith.xori %c, %d : i32
      scf.reduce.return %t : i32
    }
  }
  memref.store %r#0, %out[%c0] : memref<1xf32>
  memref.store %r#1, %bits[%c0] : memref<1xi32>
  func.return
}
