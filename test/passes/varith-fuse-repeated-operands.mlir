// RUN: opt-tool %s -p varith-fuse-repeated-operands | filecheck %s

// ((x + x) + x) + x differs from 4 * x in floats.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    varith.add %x, %x, %x, %x : f32
// CHECK:         arith.muli
func.func @f(%x: f32, %i: i32) -> (f32, i32) {
  %0 = varith.add %x, %x, %x, %x : f32
  %1 = varith.add %i, %i, %i : i32
  func.return %0, %1 : f32, i32
}
