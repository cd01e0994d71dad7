// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP
// RUN: opt-tool %s -p symbol-dce,inline,cse,sccp,canonicalize --interpret-each | filecheck %s --check-prefix=CHECK-AFTER

// CHECK: %f = func.constant @double : (i32) -> i32
// CHECK: %f = func.constant {test.mark} @double : (i32) -> i32
// CHECK: func.call_indirect %f(%x) {test.mark} : (i32) -> i32
// CHECK: func.call_indirect %g() : () -> ()

// A function whose address is taken stays, and may be called with any arguments.
// CHECK-AFTER: func.func private @double
// CHECK-AFTER: arith.addi
// CHECK-AFTER: func.call_indirect

func.func private @double(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  func.return %0 : i32
}
func.func private @nothing()
func.func @network(%x: i32) -> i32 {
  %f = func.constant @double : (i32) -> i32
  %0 = func.call_indirect %f(%x) : (i32) -> i32
  %c = arith.constant 3 : i32
  %1 = func.call @double(%c) : (i32) -> i32
  %2 = arith.addi %0, %1 : i32
  func.return %2 : i32
}
func.func @marked(%x: i32) -> i32 {
  %f = func.constant {test.mark} @double : (i32) -> i32
  %g = func.constant @nothing : () -> ()
  %0 = func.call_indirect %f(%x) {test.mark} : (i32) -> i32
  func.call_indirect %g() : () -> ()
  func.return %0 : i32
}
