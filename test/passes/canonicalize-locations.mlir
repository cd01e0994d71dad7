// RUN: opt-tool %s -p canonicalize,convert-scf-to-cf --mlir-print-debuginfo | filecheck %s

// Ops that rewrites make have the location of the op that they replace.

// CHECK-NOT: loc(unknown){{$}}
// CHECK: arith.constant 3 : i32 loc("sum")
// CHECK: arith.constant 0x7f800000 : f32 loc("float")
// CHECK: arith.addi %x, {{.*}} : i32 loc("swapped")
// CHECK: cf.cond_br {{.*}} loc("choice")
func.func @f(%x: i32, %c: i1) -> (i32, i32, f32, i32) {
  %a = arith.constant 1 : i32 loc("one")
  %b = arith.constant 2 : i32 loc("two")
  %s = arith.addi %a, %b : i32 loc("sum")
  %f = arith.constant 3.0e38 : f32 loc("large")
  %g = arith.addf %f, %f : f32 loc("float")
  %t = arith.addi %a, %x : i32 loc("swapped")
  %r = scf.if %c -> i32 {
    scf.yield %x : i32 loc("then")
  } else {
    scf.yield %t : i32 loc("else")
  } loc("choice")
  func.return %s, %t, %g, %r : i32, i32, f32, i32
}
