// RUN: opt-tool %s --verify-each=roundtrip --mlir-print-debuginfo -p cse,canonicalize | filecheck %s
// RUN: not opt-tool %s --verify-each=yes 2>&1 | filecheck %s --check-prefix=VALUE

// After each pass the text of the IR parses as the same IR, locations and attributes included.

// CHECK: linalg.transpose ins(%a : memref<2x3xi8>) outs(%b : memref<3x2xi8>) permutation = [1, 0] {engine = "cluster"} loc("t")
// VALUE: argument --verify-each: expected true or false, found 'yes'
func.func @f(%a: memref<2x3xi8>, %b: memref<3x2xi8>) {
  linalg.transpose ins(%a : memref<2x3xi8>) outs(%b : memref<3x2xi8>) permutation = [1, 0] {engine = "cluster"} loc("t")
  func.return
}
