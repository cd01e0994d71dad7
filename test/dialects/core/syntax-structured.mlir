// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s | opt-tool - | filecheck %s

// CHECK:      scf.reduce(%a, %b : i32, i8) {
// CHECK:      }, {
// CHECK:      scf.reduce
// CHECK:      %q = affine.if affine_set<(d0)[s0] : ((d0 + (s0 * -1)) >= 0, (d0 mod 2) == 0)>(%n)[%c4] -> (i32) {
// CHECK-NEXT:   affine.yield %r : i32
// CHECK-NEXT: } else {
// CHECK:      affine.if affine_set<(d0)[s0] : ((d0 + (s0 * -1)) >= 0, (d0 mod 2) == 0)>(%n)[%c4] {
// CHECK-NEXT:   affine.store %a, %m[0]
// CHECK-NEXT: }
// CHECK:      affine.if affine_set<() : (1 == 0)>() {
// CHECK:      affine.if affine_set<() : (0 == 0)>() {
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: scf.execute_region {
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: } {example.note = 1 : i32}
// CHECK-NEXT: scf.index_switch %n {example.note = 2 : i32}
// CHECK-NEXT: case 1 {
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: memref.alloca_scope {
// CHECK-NEXT:   memref.alloca_scope.return
// CHECK-NEXT: }
// CHECK:      %{{.*}}, %[[SECOND:.*]] = scf.if
// CHECK:      affine.load %m[(%[[SECOND]] - 1) mod 2] : memref<2xi32>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 mod 2 == 0)>
func.func @network(%a: i32, %b: i8, %n : index, %m: memref<2xi32>) -> (i32, i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r, %s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%a, %b) -> (i32, i8) {
    scf.reduce(%a, %b : i32, i8) {
    ^bb0(%l: i32, %rr: i32):
      %o = arith.addi %l, %rr : i32
      scf.reduce.return %o : i32
    }, {
    ^bb0(%l: i8, %rr: i8):
      %o = arith.addi %l, %rr : i8
      scf.reduce.return %o : i8
    }
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.reduce
  }
  %q = affine.if #set(%n)[%c4] -> i32 {
    affine.yield %r : i32
  } else {
    affine.yield %a : i32
  }
  affine.if #set(%n)[%c4] {
    affine.store %a, %m[0] : memref<2xi32>
  }
  affine.if affine_set<() : (1 == 0)>() {
    affine.store %a, %m[0] : memref<2xi32>
  } else {
    affine.store %q, %m[1] : memref<2xi32>
  }
  affine.if affine_set<() : (1 == 1)>() {
  } else {
  }
  scf.execute_region {
    scf.yield
  } {example.note = 1 : i32}
  scf.index_switch %n {example.note = 2 : i32}
  case 1 {
  }
  default {
  }
  memref.alloca_scope {
  }
  %t = arith.constant true
  %two:2 = scf.if %t -> (index, index) {
    scf.yield %n, %n : index, index
  } else {
    scf.yield %c0, %c1 : index, index
  }
  %loaded = affine.load %m[(%two#1 - 1) mod 2] : memref<2xi32>
  func.return %q, %s : i32, i8
}
