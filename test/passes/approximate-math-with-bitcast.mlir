// RUN: opt-tool %s -p approximate-math-with-bitcast | filecheck %s
// RUN: opt-tool %s -p 'approximate-math-with-bitcast{log=false}' | filecheck %s --check-prefix=CHECK-EXP

// CHECK-LABEL: func.func @exponential
// CHECK-EXP-LABEL: func.func @exponential
// CHECK:         arith.mulf %x, {{.*}} fastmath<nnan> : f32
// CHECK:         arith.addf
// CHECK:         arith.maximumf
// CHECK:         arith.minimumf
// CHECK:         arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT:    arith.bitcast %{{.*}} : i32 to f32
// CHECK-EXP:     arith.fptosi
func.func @exponential(%x: f32) -> f32 {
  %r = math.exp %x fastmath<nnan> : f32
  func.return %r : f32
}

// CHECK-LABEL: func.func @logarithm
// CHECK-EXP-LABEL: func.func @logarithm
// CHECK-NEXT:    arith.bitcast %x : f64 to i64
// CHECK-NEXT:    arith.sitofp
// CHECK-EXP-NEXT: math.log2
func.func @logarithm(%x: f64) -> f64 {
  %r = math.log2 %x : f64
  func.return %r : f64
}
