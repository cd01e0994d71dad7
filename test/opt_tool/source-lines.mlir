// RUN: not opt-tool %s --split-input-file 2>&1 | filecheck %s

// Errors of the parser and of the verifier show the line of the file and a caret.

// CHECK: source-lines.mlir:9:23: error: the value %undefined is used, but not defined
// CHECK-NEXT: {{^}}    %b = arith.addi %a, %undefined : i32
// CHECK-NEXT: {{^}}                        ^
func.func @parser(%a: i32) -> i32 {
  %b = arith.addi %a, %undefined : i32
  func.return %b : i32
}

// -----

// CHECK: error: 'hier.join' does not verify: expected the token of a hier.launch
// CHECK-NEXT: {{^}}    hier.join %t
// CHECK-NEXT: {{^}}    ^
func.func @verifier() {
  %t = hier.dma_none
  hier.join %t
  func.return
}
