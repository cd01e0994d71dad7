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
