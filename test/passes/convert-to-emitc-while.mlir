// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s

// The condition is computed at the head of each turn, and looked at once more where the turn ends. Nothing bounds the
// index that the loop carries: it has 64 bits.
// CHECK:      void halve_run(int32_t n, float x[8]) {
// CHECK-NEXT:     int64_t k = (int64_t)n;
// CHECK-NEXT:     bool goes_on;
// CHECK-NEXT:     do {
// CHECK-NEXT:         const bool more = k > INT64_C(0);
// CHECK-NEXT:         goes_on = more;
// CHECK-NEXT:         if (more) {
// CHECK:                  k =
// CHECK-NEXT:         }
// CHECK-NEXT:     } while (goes_on);
func.func @halve(%n: index, %x: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %k = scf.while (%a = %n) : (index) -> index {
    %more = arith.cmpi sgt, %a, %zero : index
    scf.condition(%more) %a : index
  } do {
  ^bb0(%b: index):
    %next = arith.divsi %b, %two : index
    %v = memref.load %x[%next] : memref<8xf32>
    %h = arith.mulf %v, %half : f32
    memref.store %h, %x[%next] : memref<8xf32>
    scf.yield %next : index
  }
  func.return
}

// What the condition passes on has variables of its own where it is not what the loop carries.
// CHECK:      int32_t steps_run(int32_t n, float x) {
// CHECK-NEXT:     int32_t n_1 = n;
// CHECK-NEXT:     float x_1 = x;
// CHECK-NEXT:     int32_t r;
// CHECK:          do {
// CHECK-NEXT:         const float v = x_1;
// CHECK-NEXT:         const bool go = n_1 < 10;
// CHECK-NEXT:         goes_on = go;
// CHECK-NEXT:         r = (int32_t)(v * v);
// CHECK-NEXT:         if (go) {
// CHECK-NEXT:             const int32_t v_1 = r;
// CHECK-NEXT:             n_1 = v_1;
// CHECK-NEXT:             x_1 = (float)v_1;
// CHECK-NEXT:         }
// CHECK-NEXT:     } while (goes_on);
// CHECK-NEXT:     return r;
func.func @steps(%n: i32, %x: f32) -> i32 {
  %ten = arith.constant 10 : i32
  %r = scf.while (%i = %n, %v = %x) : (i32, f32) -> i32 {
    %w = arith.mulf %v, %v : f32
    %k = arith.fptosi %w : f32 to i32
    %go = arith.cmpi slt, %i, %ten : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%a: i32):
    %b = arith.sitofp %a : i32 to f32
    scf.yield %a, %b : i32, f32
  }
  func.return %r : i32
}
