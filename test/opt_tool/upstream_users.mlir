// RUN: opt-tool %s --mlir-print-value-users | filecheck %s
// RUN: opt-tool %s --mlir-print-value-users | opt-tool --mlir-print-value-users | filecheck %s

// The words are those of mlir-opt 19: each user once, the last first, all results of one that has several.
// CHECK:      // %x is used by %u, %v, %b, %a{{$}}
// CHECK-NEXT: // %c is used by %d{{$}}
// CHECK-NEXT: // %n is unused{{$}}
// CHECK-NEXT: %a = arith.addi %x, %x : i32 // users: %[[ELSE:[0-9]+]], %q, %b{{$}}
// CHECK-NEXT: %b = arith.muli %a, %x : i32 // user: %q{{$}}
// CHECK:        %q = arith.subi %b, %a : i32 // user: %[[THEN:[0-9]+]]{{$}}
// CHECK-NEXT:   scf.yield %q : i32 // id: %[[THEN]]{{$}}
// CHECK:        scf.yield %a : i32 // id: %[[ELSE]]{{$}}
// CHECK-NEXT: } // users: %u, %v{{$}}
// CHECK-NEXT: %u, %v = arith.addui_extended %x, %d : i32, i1 // users: (%[[RETURN:[0-9]+]]), (unused){{$}}
// CHECK-NEXT: %z = arith.constant 3 : i32 // unused{{$}}
// CHECK-NEXT: func.return %u : i32 // id: %[[RETURN]]{{$}}
func.func @f(%x: i32, %c: i1, %n: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %d = scf.if %c -> i32 {
    %q = arith.subi %b, %a : i32
    scf.yield %q : i32
  } else {
    scf.yield %a : i32
  }
  %u, %v = arith.addui_extended %x, %d : i32, i1
  %z = arith.constant 3 : i32
  func.return %u : i32
}
