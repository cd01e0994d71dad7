// RUN: opt-tool %s --mlir-print-debuginfo | filecheck %s
// RUN: opt-tool %s --mlir-print-debuginfo | opt-tool --mlir-print-op-generic --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s
// RUN: rm -rf %t.dir && opt-tool %s -p cse --dump-dir %t.dir > %t.plain
// RUN: filecheck %s --check-prefix=CHECK-DUMP --input-file %t.dir/01-cse.mlir
// RUN: opt-tool %s --mlir-print-debuginfo > %t.once
// RUN: opt-tool %t.once --mlir-print-debuginfo > %t.twice
// RUN: diff %t.once %t.twice
// RUN: opt-tool %s | filecheck %s --check-prefix=CHECK-NONE

// Locations are printed with --mlir-print-debuginfo alone, those that the parser inferred included.
// A dump is an input: it shows the locations that the text gives.

// CHECK-DUMP: // RUN: opt-tool %s
// CHECK-DUMP: func.func @f(%a: i32 loc("x"), %b: i32 {tilewright.mark} loc("m.cc":7:8), %c: i32) -> i32 {
// CHECK-DUMP: arith.addi %{{.*}} : i32{{$}}
// CHECK-NONE-NOT: loc(
// CHECK-NONE: func.return

#defined = loc("m.cc":7:8)
#range = loc("range.c":5:6 to 7:8)

// CHECK: func.func @f(%a: i32 loc("x"), %b: i32 {tilewright.mark} loc("m.cc":7:8), %c: i32) -> i32 {
func.func @f(%a: i32 loc("x"), %b: i32 {tilewright.mark} loc(#defined), %c: i32) -> i32 {
  // CHECK-NEXT: %0 = arith.addi %a, %b : i32 loc("a.mlir":3:4)
  %0 = arith.addi %a, %b : i32 loc("a.mlir":3:4)
  // CHECK-NEXT: %1 = arith.addi %0, %b : i32 loc(callsite("callee" at "m.cc":1:2))
  %1 = arith.addi %0, %b : i32 loc(callsite("callee" at "m.cc":1:2))
  // CHECK-NEXT: %2 = arith.addi %1, %c : i32 loc(fused<"why">["a", "b"("m.cc":1:2)])
  %2 = arith.addi %1, %c : i32 loc(fused<"why">["a", "b"("m.cc":1:2)])
  // CHECK-NEXT: %3 = arith.addi %2, %c : i32 loc(fused["a", "a.mlir":3:4])
  %3 = arith.addi %2, %c : i32 loc(#later)
  // CHECK-NEXT: %4 = arith.addi %3, %a : i32 loc("{{.*}}locations.mlir":{{[0-9]+}}:3)
  %4 = arith.addi %3, %a : i32
  // CHECK-NEXT: %5 = arith.addi %4, %a : i32 loc(unknown)
  %5 = arith.addi %4, %a : i32 loc(unknown)
  // CHECK-NEXT: "test.op"() : () -> () loc("range.c":1:2 to 3:4)
  "test.op"() : () -> () loc("range.c":1:2 to 3:4)
  // CHECK-NEXT: "test.op"() : () -> () loc("range.c":1:2 to :4)
  "test.op"() : () -> () loc("range.c":1:2 to 1:4)
  // CHECK-NEXT: "test.op"() : () -> () loc("range.c":1:2)
  "test.op"() : () -> () loc("range.c":1:2 to :2)
  // CHECK-NEXT: "test.op"() : () -> () loc("range.c":7:0)
  "test.op"() : () -> () loc("range.c":7)
  // CHECK-NEXT: "test.op"() : () -> () loc(callsite("a"("range.c":1:2 to 3:4) at fused["b", "range.c":5:6 to 7:8]))
  "test.op"() : () -> () loc(callsite("a"("range.c":1:2 to 3:4) at fused["b", #range]))
  // CHECK-NEXT: cf.br ^{{.*}}(%5 : i32) loc("
  cf.br ^end(%5 : i32)
// CHECK-NEXT: ^{{.*}}(%6: i32 loc("of the argument")):
^end(%6: i32 loc("of the argument")):
  func.return %6 : i32
} loc("whole")
// CHECK: } loc("whole")

// The type is a part of the custom syntax.
// CHECK-LABEL: func.func @while
func.func @while(%n: i32) -> i32 {
  // CHECK-NEXT: %0 = scf.while (%a = %n) : (i32) -> i32 {
  %0 = scf.while (%a = %n) : (i32) -> i32 {
    %c = arith.constant true
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32 loc("x")):
    scf.yield %b : i32
  // CHECK: ^{{.*}}(%b: i32 loc("x")):
  // CHECK: } loc("while")
  } loc("while")
  func.return %0 : i32
}

#later = loc(fused["a", #place])
#place = loc("a.mlir":3:4)
