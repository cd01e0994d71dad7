// RUN: opt-tool %s -p convert-scf-to-cf --interpret-each | filecheck %s
// RUN: opt-tool %s -p convert-scf-to-cf,canonicalize --interpret-each --seed 5 -o /dev/null

// The flag of a switch holds every index: 4294967297 is no 1.

// CHECK-LABEL: func.func @network
// CHECK:         arith.index_cast %k : index to i64
// CHECK-NEXT:    cf.switch %{{.*}} : i64, [
// CHECK:           4294967297:
// CHECK-NEXT:      -2:
func.func @network(%x: i32, %c: i1, %k: index) -> i32 {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %big = arith.constant 4294967296 : index
  %flag = arith.addi %k, %big : index
  %s = scf.index_switch %k -> i32
  case 4294967297 {
    scf.yield %x : i32
  }
  case -2 {
    %p = arith.muli %x, %x : i32
    scf.yield %p : i32
  }
  default {
    %d = scf.if %c -> (i32) {
      scf.yield %x : i32
    } else {
      %q = arith.addi %x, %x : i32
      scf.yield %q : i32
    }
    scf.yield %d : i32
  }
  %t = scf.index_switch %flag -> i32
  case 1 {
    scf.yield %x : i32
  }
  default {
    scf.yield %s : i32
  }
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (i32) {
    %v = arith.index_cast %i : index to i32
    %e = scf.if %c -> (i32) {
      %f = arith.addi %a, %v : i32
      scf.yield %f : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %e : i32
  }
  func.return %r : i32
}
