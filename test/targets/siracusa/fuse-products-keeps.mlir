// RUN: opt-tool %s -p fuse-products > %t && opt-tool %s | diff - %t

// A product that is needed elsewhere, one by 1, other widths, indices, and differences stay.

func.func @others(%a: i32, %l: i64, %i: index) -> (i32, i32, i32, i64, index, i32) {
  %one = arith.constant 1 : i32
  %p = arith.muli %a, %a : i32
  %s = arith.addi %p, %a : i32
  %q = arith.muli %a, %one : i32
  %t = arith.addi %q, %a : i32
  %m = arith.muli %l, %l : i64
  %u = arith.addi %m, %l : i64
  %j = arith.muli %i, %i : index
  %v = arith.addi %j, %i : index
  %r = arith.muli %a, %s : i32
  %w = arith.subi %r, %a : i32
  func.return %p, %s, %t, %u, %v, %w : i32, i32, i32, i64, index, i32
}

// What a loop carries stays a sum.

func.func @carried(%x: memref<16xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<16xi32>
    %s = arith.muli %v, %v : i32
    %t = arith.addi %acc, %s : i32
    %r = arith.muli %v, %t : i32
    %u = arith.addi %t, %r : i32
    scf.yield %u : i32
  }
  func.return %sum : i32
}
