// RUN: opt-tool %s -p annotate-unrolling | filecheck %s

// Left are loops with few iterations, without stores, and with floats or divisions.

// CHECK-NOT: tilewright.unroll
func.func @kept(%a: memref<64xi8>, %f: memref<64xf32>, %n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  %seven = arith.constant 7 : i8
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %a[%i] : memref<64xi8>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %zero, %a[%i] : memref<64xi8>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %a[%i] : memref<64xi8>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %f[%i] : memref<64xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %f[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xi8>
    %y = arith.divsi %x, %seven : i8
    memref.store %y, %a[%i] : memref<64xi8>
  }
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (i8) {
    %x = memref.load %a[%i] : memref<64xi8>
    %t = arith.addi %s, %x : i8
    scf.yield %t : i8
  }
  func.return %sum : i8
}
