// RUN: opt-tool %s -p divide-by-invariants | filecheck %s

// The sum of squares of a row is not negative, so its numbers are divided by it with one division for all.

// CHECK-LABEL: func.func @shares
// CHECK:         scf.for
// CHECK:         %[[D:.*]] = arith.maxsi %[[S:.*]], %{{.*}} : i32
// CHECK:         %[[M:reciprocal]] = arith.divui %{{.*}}, %[[D]] : i32
// CHECK:         scf.for
// CHECK:           %{{.*}}, %[[H:.*]] = arith.mului_extended %{{.*}}, %[[M]] : i32
// CHECK:           arith.muli %[[H]], %[[S]] : i32
// CHECK:           arith.cmpi uge
// CHECK-NOT:       arith.floordivsi
func.func @shares(%x: memref<16xi32>, %y: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<16xi32>
    %s = arith.muli %v, %v overflow<nsw> : i32
    %t = arith.addi %acc, %s overflow<nsw> : i32
    scf.yield %t : i32
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %x[%i] : memref<16xi32>
    %s = arith.muli %v, %v overflow<nsw> : i32
    %q = arith.floordivsi %s, %sum : i32
    memref.store %q, %y[%i] : memref<16xi32>
  }
  func.return
}
