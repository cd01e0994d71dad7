// RUN: opt-tool %s -p loop-hoist-memref --interpret-each | filecheck %s
// RUN: opt-tool %s -p loop-hoist-memref,convert-to-emitc -o /dev/null

// A sum in memory is carried in a value, beside what the loop carries, through both loops.

// CHECK-LABEL: func.func @network
// CHECK:         %[[A:.*]] = memref.load %s[%c1] : memref<4xi32>
// CHECK-NEXT:    %{{.*}}, %[[B:.*]] = scf.for %i = %c0 to %c5 step %c1 iter_args(%p = %x, %[[C:.*]] = %[[A]]) -> (i32, i32) {
// CHECK:           %[[D:.*]] = scf.for %j = %c0 to %c5 step %c1 iter_args(%[[E:.*]] = %[[C]]) -> (i32) {
// CHECK-NOT:         memref.store
// CHECK:             scf.yield %{{.*}} : i32
// CHECK:           scf.yield %{{.*}}, %[[D]] : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[B]], %s[%c1] : memref<4xi32>
func.func @network(%s: memref<4xi32> {tilewright.output}, %m: memref<5xi32>, %x: i32, %o: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%p = %x) -> (i32) {
    %q = memref.load %m[%i] : memref<5xi32>
    scf.for %j = %c0 to %c5 step %c1 {
      %v = memref.load %m[%j] : memref<5xi32>
      %a = memref.load %s[%c1] : memref<4xi32>
      %b = arith.muli %a, %q : i32
      %c = arith.addi %b, %v : i32
      memref.store %c, %s[%c1] : memref<4xi32>
    }
    %n = arith.addi %p, %q : i32
    scf.yield %n : i32
  }
  memref.store %r, %o[%c0] : memref<1xi32>
  func.return
}
