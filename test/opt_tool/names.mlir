// RUN: opt-tool %s --mlir-print-short-names --mlir-print-assume-verified | filecheck %s
// RUN: opt-tool %s --mlir-print-short-names | opt-tool | filecheck %s --check-prefix=LONG
// RUN: opt-tool %s --mlir-print-unique-ssa-ids | filecheck %s --check-prefix=UNIQUE

// CHECK:      {{^}}module {
// CHECK-NEXT:   func.func @f(%x: i32) -> i32 {
// CHECK-NEXT:     %0 = call @f(%x) : (i32) -> i32
// CHECK-NEXT:     %c = arith.constant true
// CHECK-NEXT:     scf.if %c {
// CHECK-NEXT:       %1 = func.call @f(%x)
// CHECK:          return %0 : i32
// CHECK:        module @inner {
// CHECK-NEXT:     emitc.func @g(
// CHECK-NEXT:       %0 = call @g
// CHECK-NEXT:       return

// LONG:  builtin.module {
// LONG:  %0 = func.call @f
// LONG:  func.return
// LONG:  builtin.module @inner
// LONG:  emitc.call @g
// LONG:  emitc.return

// UNIQUE: func.func @f(%x: i32)
// UNIQUE: %0 = func.call
// UNIQUE: emitc.func @g(%x_1: i32)
// UNIQUE: %2 = emitc.call

func.func @f(%x: i32) -> i32 {
  %0 = func.call @f(%x) : (i32) -> i32
  %c = arith.constant true
  scf.if %c {
    %1 = func.call @f(%x) : (i32) -> i32
  }
  func.return %0 : i32
}
module @inner {
  emitc.func @g(%x: i32) -> i32 {
    %0 = emitc.call @g(%x) : (i32) -> i32
    emitc.return %0 : i32
  }
}

// RUN: opt-tool %s --mlir-print-value-users | filecheck %s --check-prefix=USERS
// RUN: opt-tool %s --mlir-print-value-users | opt-tool | filecheck %s --check-prefix=LONG

// USERS:      func.func @f(%x: i32) -> i32 {
// USERS-NEXT:   // %x is used by %1, %0
// USERS-NEXT:   %0 = func.call @f(%x) : (i32) -> i32 // user: %3
// USERS-NEXT:   %c = arith.constant true // user: %2
// USERS-NEXT:   scf.if %c {
// USERS-NEXT:     %1 = func.call @f(%x) : (i32) -> i32 // unused
// USERS-NEXT:   } // id: %2
// USERS-NEXT:   func.return %0 : i32 // id: %3
