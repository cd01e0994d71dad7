// RUN: opt-tool %s -p convert-requantize-to-rescale | filecheck %s

// Any 32-bit sum, halves that are rounded up, and an offset that is no integer.
// CHECK-LABEL: @sums
// CHECK-COUNT-3: quant.requantize
// CHECK-NOT: quant.rescale
func.func @sums(%a: i32, %b: i8) -> (i8, i8, i8) {
  %m = arith.constant 1800066 : i32
  %z = arith.constant 0 : i32
  %0 = quant.requantize %a, %m, %z shift 21 clip 0 to 127 in i32 : i32, i32, i32 -> i8
  %half = arith.constant 1 : i32
  %w = arith.extsi %b : i8 to i32
  %1 = quant.requantize %w, %half, %z shift 1 clip -128 to 127 in i32 : i32, i32, i32 -> i8
  %2 = quant.requantize %w, %m, %half shift 21 clip -128 to 127 in i32 : i32, i32, i32 -> i8
  func.return %0, %1, %2 : i8, i8, i8
}
