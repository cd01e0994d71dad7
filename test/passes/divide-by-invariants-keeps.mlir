// RUN: opt-tool %s -p divide-by-invariants > %t && opt-tool %s | diff - %t

// A sum that may be negative, a divisor that is loaded in the loop, and a constant stay.

func.func @others(%x: memref<16xi32>, %y: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<16xi32>
    %t = arith.addi %acc, %v overflow<nsw> : i32
    scf.yield %t : i32
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %x[%i] : memref<16xi32>
    %q = arith.divsi %v, %sum : i32
    %n = arith.maxsi %v, %zero : i32
    %r = arith.divsi %q, %n : i32
    %s = arith.divsi %r, %seven : i32
    memref.store %s, %y[%i] : memref<16xi32>
  }
  func.return
}

// A sum that may wrap around may be negative: it stays a division.

func.func @wraps(%x: memref<16xi32>, %y: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<16xi32>
    %s = arith.muli %v, %v overflow<nsw> : i32
    %t = arith.addi %acc, %s : i32
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
