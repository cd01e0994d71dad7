// RUN: opt-tool %s --mlir-print-debuginfo -p inline | filecheck %s
// RUN: rm -rf %t.dir && opt-tool %s -p inline --dump-dir %t.dir > %t.plain
// RUN: filecheck %s --check-prefix=CHECK-DUMP --input-file %t.dir/01-inline.mlir

// A dump leaves out the positions that the parser infers.
// CHECK-DUMP: %y = arith.addi %x, %x : i32 loc(callsite("Add_0" at "first"))
// CHECK-DUMP: %y_1 = arith.addi %y, %y : i32 loc("Add_0")
// CHECK-DUMP: %s = arith.addi %acc, %acc : i32{{$}}

// What only inlined calls needed is gone; names of nodes stay, with the places of the calls.
// CHECK-NOT: @double
// CHECK: func.func @f(%x: i32) -> i32
// CHECK-NEXT: %y = arith.addi %x, %x : i32 loc(callsite(callsite("Add_0" at "first") at "{{.*}}inline.mlir":{{[0-9]+}}:3))
// CHECK-NEXT: %y_1 = arith.addi %y, %y : i32 loc(callsite(callsite("Add_0" at "{{.*}}inline.mlir":{{[0-9]+}}:3) at "{{.*}}inline.mlir":{{[0-9]+}}:3))
// CHECK-NEXT: func.return %y_1 : i32
func.func @f(%x: i32) -> i32 {
  %a = func.call @twice(%x) : (i32) -> i32
  func.return %a : i32
}
func.func private @twice(%x: i32) -> i32 {
  %a = func.call @double(%x) : (i32) -> i32 loc("first")
  %b = func.call @double(%a) : (i32) -> i32
  func.return %b : i32
}
func.func private @double(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32 loc("Add_0")
  func.return %y : i32
}

// In a loop, and a callee that gives back what it takes.
// CHECK-LABEL: func.func @g
// CHECK: scf.for
// CHECK-NEXT: %s = arith.addi %acc, %acc : i32
// CHECK-NEXT: scf.yield %s : i32
func.func @g(%x: i32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (i32) {
    %v, %w = func.call @same(%acc, %x) : (i32, i32) -> (i32, i32)
    %s = arith.addi %v, %v : i32
    scf.yield %s : i32
  }
  func.return %r : i32
}
func.func private @same(%a: i32, %b: i32) -> (i32, i32) {
  func.return %a, %b : i32, i32
}

// Recursion, a declaration, and several blocks stay as they are.
// CHECK-LABEL: func.func @h
// CHECK: func.call @even
// CHECK: func.call @outside
// CHECK: func.call @blocks
func.func @h(%x: i32) -> i32 {
  %a = func.call @even(%x) : (i32) -> i32
  %b = func.call @outside(%a) : (i32) -> i32
  %c = func.call @blocks(%b) : (i32) -> i32
  func.return %c : i32
}
func.func private @even(%x: i32) -> i32 {
  %a = func.call @odd(%x) : (i32) -> i32
  func.return %a : i32
}
func.func private @odd(%x: i32) -> i32 {
  %a = func.call @even(%x) : (i32) -> i32
  func.return %a : i32
}
func.func private @outside(i32) -> i32
func.func private @blocks(%x: i32) -> i32 {
  cf.br ^bb1
^bb1:
  func.return %x : i32
}
