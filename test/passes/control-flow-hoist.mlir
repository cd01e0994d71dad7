// RUN: opt-tool %s -p control-flow-hoist --interpret-each | filecheck %s
// RUN: opt-tool %s -p control-flow-hoist --interpret-each --seed 4 -o /dev/null

// What may be undefined stays in its branch; a branch without another is no fault.

// CHECK-LABEL: func.func @network
// CHECK:         %[[S:.*]] = arith.addi %x, %x : i32
// CHECK:         scf.if %c
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK:         scf.if %d
// CHECK-NEXT:      arith.floordivsi
func.func @network(%x: i32, %y: i32, %c: i1) -> i32 {
  %z = arith.constant 0 : i32
  %d = arith.cmpi ne, %y, %z : i32
  %r = scf.if %c -> (i32) {
    %s = arith.addi %x, %x : i32
    scf.yield %s : i32
  } else {
    scf.yield %y : i32
  }
  %q = scf.if %d -> (i32) {
    %s = arith.floordivsi %x, %y : i32
    scf.yield %s : i32
  } else {
    scf.yield %r : i32
  }
  scf.if %c {
    %s = arith.addi %x, %y : i32
  }
  func.return %q : i32
}
