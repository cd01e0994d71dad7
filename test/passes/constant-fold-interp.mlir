// RUN: opt-tool %s -p constant-fold-interp --interpret-each | filecheck %s

// CHECK-LABEL: func.func @network
// CHECK-DAG:     %w = arith.constant -128 : i8
// CHECK-DAG:     %u = arith.constant 1 : i8
// CHECK-DAG:     %q = arith.constant -4 : i8
// CHECK-DAG:     %l = arith.constant true
// CHECK-DAG:     %h = arith.constant 120 : i8
func.func @network() -> (i8, i8, i8, i1, i8) {
  %a = arith.constant 127 : i8
  %b = arith.constant 1 : i8
  %m = arith.constant -7 : i8
  %c2 = arith.constant 2 : i8
  %f = arith.constant 1.5 : f32
  %g = arith.constant -0.0 : f32
  %w = arith.addi %a, %b : i8
  %v = arith.muli %m, %c2 : i8
  %u = arith.remui %m, %c2 : i8
  %q = arith.floordivsi %m, %c2 : i8
  %l = arith.cmpf ogt, %f, %g : f32
  %s = arith.addi %a, %m : i8
  %h = arith.maxsi %s, %v : i8
  func.return %w, %u, %q, %l, %h : i8, i8, i8, i1, i8
}
