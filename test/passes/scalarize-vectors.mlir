// RUN: opt-tool %s -p scalarize-vectors --interpret-each | filecheck %s
// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s --check-prefix=C

// Each element is a scalar: a transposition is nothing, a fold keeps its order, and an access that may be out of bounds
// is conditional.
// CHECK-LABEL: func.func @f
// CHECK-NOT: vector
// CHECK:      %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %{{.*}} = scf.if %[[INSIDE]] -> (f32) {
// CHECK:        memref.load %m
// CHECK:      } else {
// CHECK-NEXT:   scf.yield %p : f32
// CHECK:      %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:      arith.addf %[[A]], %{{.*}} : f32
// C:          void f_run(const float m[6], int32_t i, float p, float out[2]) {
// C-NOT:      vector
// C:          out[0] =
func.func @f(%m: memref<2x3xf32>, %i: index, %p: f32, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %scale = arith.constant dense<[2.0, 3.0]> : vector<2xf32>
  %v = vector.transfer_read %m[%c0, %i], %p {in_bounds = [true, false]} : memref<2x3xf32>, vector<2x3xf32>
  %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
  %row = vector.extract %t[1] : vector<2xf32> from vector<3x2xf32>
  %sum = vector.multi_reduction <add>, %t, %row [0] : vector<3x2xf32> to vector<2xf32>
  %r = arith.mulf %sum, %scale : vector<2xf32>
  vector.store %r, %out[%c0] : memref<2xf32>, vector<2xf32>
  func.return
}
