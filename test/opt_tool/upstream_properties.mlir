// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s

// Flags of MLIR 19 in the generic form are an attribute, of xDSL a number: both are read, and the custom form is printed.

// CHECK:      [[A:%.+]] = llvm.add %x, %x : i32
// CHECK-NEXT: [[B:%.+]] = llvm.mul [[A]], %x overflow<nsw> : i32
// CHECK-NEXT: [[C:%.+]] = llvm.shl [[B]], %x overflow<nsw,nuw> : i32
// CHECK-NEXT: "llvm.sub"([[C]], %x) <{overflowFlags = 4 : i32}> : (i32, i32) -> i32
// CHECK-NEXT: llvm.trunc [[C]] overflow<nuw> : i32 to i8
// GENERIC:      %x = "test.op"() : () -> i32
// GENERIC-NEXT: [[A:%.+]] = llvm.add %x, %x : i32
// GENERIC-NEXT: [[B:%.+]] = llvm.mul [[A]], %x overflow<nsw> : i32
// GENERIC-NEXT: [[C:%.+]] = llvm.shl [[B]], %x overflow<nsw,nuw> : i32
// GENERIC-NEXT: "llvm.sub"([[C]], %x) <{overflowFlags = 4 : i32}> : (i32, i32) -> i32
// GENERIC-NEXT: "llvm.trunc"([[C]]) <{overflowFlags = #llvm.overflow<nuw>}> : (i32) -> i8

%x = "test.op"() : () -> i32
%0 = "llvm.add"(%x, %x) <{overflowFlags = #llvm.overflow<none>}> : (i32, i32) -> i32
%1 = "llvm.mul"(%0, %x) <{overflowFlags = #llvm.overflow<nsw>}> : (i32, i32) -> i32
%2 = "llvm.shl"(%1, %x) <{overflowFlags = 3 : i32}> : (i32, i32) -> i32
%3 = "llvm.sub"(%2, %x) <{overflowFlags = 4 : i32}> : (i32, i32) -> i32
%4 = "llvm.trunc"(%2) <{overflowFlags = #llvm.overflow<nuw>}> : (i32) -> i8

// CHECK:   transform.apply_registered_pass "canonicalize" to
// GENERIC: "transform.apply_registered_pass"({{.*}}) <{options = {}, pass_name = "canonicalize"}>

"transform.named_sequence"() <{function_type = (!transform.any_op) -> (), sym_name = "main"}> ({
^bb0(%root: !transform.any_op):
  %5 = "transform.apply_registered_pass"(%root) <{options = "", pass_name = "canonicalize"}> : (!transform.any_op) -> !transform.any_op
  "transform.yield"() : () -> ()
}) : () -> ()
