// RUN: opt-tool %s -p lower-affine --interpret-each | filecheck %s

// A reduction starts with the identity of its kind, and combines what each iteration yields.
// CHECK-LABEL: func.func @sums
// CHECK:      %[[SUM:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[BITS:.*]] = arith.constant -1 : i32
// CHECK-NEXT: %{{.*}}, %{{.*}} = scf.parallel {{.*}} init (%[[SUM]], %[[BITS]]) -> (f32, i32)
// CHECK:      scf.reduce(%{{.*}}, %{{.*}} : f32, i32) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:   %[[R:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:   scf.reduce.return %[[R]] : f32
// CHECK-NEXT: }, {
// CHECK:        arith.andi
func.func @sums(%m: memref<3x4xf32>, %k: memref<3x4xi32>) -> (f32, i32) {
  %r:2 = affine.parallel (%i, %j) = (0, 0) to (3, 4) step (1, 2) reduce ("addf", "andi") -> (f32, i32) {
    %x = affine.load %m[%i, %j] : memref<3x4xf32>
    %y = affine.load %k[2 - %i, %j] : memref<3x4xi32>
    affine.yield %x, %y : f32, i32
  }
  func.return %r#0, %r#1 : f32, i32
}
