// RUN: opt-tool %s --parsing-diagnostics --split-input-file | filecheck %s
// RUN: not opt-tool %s --split-input-file
// RUN: not opt-tool %s --split-input-file -p canonicalize=1 --parsing-diagnostics

// CHECK: parsing_diagnostics.mlir:9:21
// CHECK-NEXT: {{^}}%0 = arith.constant : i32
// CHECK-NEXT: {{^}}                    ^
// CHECK-NEXT: {{^}}                    attribute expected
%0 = arith.constant : i32

// -----

// CHECK: {{// -----}}
// CHECK-NEXT: builtin.module {
// CHECK-NEXT: %0 = arith.constant 1 : i32
%0 = arith.constant 1 : i32
