// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK:      func.func @f(%a: f32, %b: f32) -> f32
// CHECK-NEXT:   %r = arith.remf %a, %b : f32
// CHECK-NEXT:   %s = arith.remf %r, %b fastmath<nnan> : f32
func.func @f(%a: f32, %b: f32) -> f32 {
  %r = arith.remf %a, %b : f32
  %s = arith.remf %r, %b fastmath<nnan> : f32
  func.return %s : f32
}
