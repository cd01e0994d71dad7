// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s

// Loops, conditions, bounds and accesses of affine, and ops of index, need no pass before.
// CHECK:      void rows_run(const float m[16], int32_t n, float out[4]) {
// CHECK-NEXT:     const int32_t v = tw_min_i32(n, 4);
// CHECK-NEXT:     for (int32_t i = 0; i < v; ++i) {
// CHECK-NEXT:         float sum = 0.0f;
// CHECK-NEXT:         for (int32_t j = i; j < 4; j += 2) {
// CHECK-NEXT:             sum += m[(i * -1 + 3) * 4 + j];
// CHECK-NEXT:         }
// CHECK-NEXT:         const float v_1 = sum;
// CHECK-NEXT:         if (i - tw_floordiv_i32(i, 2) * 2 == 0) {
// CHECK-NEXT:             out[i] = v_1;
// CHECK-NEXT:         } else {
// CHECK-NEXT:             out[i * -1 + 3] = v_1;
func.func @rows(%m: memref<4x4xf32>, %n: index, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, 4)>()[%n] {
    %sum = affine.for %j = affine_map<(d0) -> (d0)>(%i) to 4 step 2 iter_args(%acc = %zero) -> (f32) {
      %v = affine.load %m[3 - %i, %j] : memref<4x4xf32>
      %s = arith.addf %acc, %v : f32
      affine.yield %s : f32
    }
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
      affine.store %sum, %out[%i] : memref<4xf32>
    } else {
      affine.store %sum, %out[3 - %i] : memref<4xf32>
    }
  }
  func.return
}

// CHECK:      int32_t total_run(const int32_t k[12], int32_t at) {
// CHECK-NEXT:     int32_t {{.*}} = 0;
// CHECK-NEXT:     for (int32_t i = 0; i < 3; ++i) {
// CHECK-NEXT:         for (int32_t j = 0; j < 4; ++j) {
// CHECK:          return
func.func @total(%k: memref<3x4xi32>, %at: index) -> i32 {
  %sum = affine.parallel (%i, %j) = (0, 0) to (3, 4) reduce ("addi") -> (i32) {
    %v = affine.load %k[%i, %j] : memref<3x4xi32>
    affine.yield %v : i32
  }
  %two = index.constant 2
  %half = index.floordivs %at, %two
  %n = index.casts %half : index to i32
  %r = arith.addi %sum, %n : i32
  func.return %r : i32
}
