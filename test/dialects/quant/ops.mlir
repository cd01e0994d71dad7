// RUN: opt-tool %s --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic --mlir-print-debuginfo | opt-tool --mlir-print-debuginfo | filecheck %s

// CHECK-LABEL: func.func @requantize
func.func @requantize(%x: i32, %mul: i32, %add: i64, %y: i8) -> (i8, i8, i16) {
  // CHECK-NEXT: %a = quant.requantize %x, %mul, %mul shift 16 clip -128 to 127 in i32 : i32, i32, i32 -> i8
  %a = quant.requantize %x, %mul, %mul shift 16 clip -128 to 127 in i32 : i32, i32, i32 -> i8
  // CHECK-NEXT: %b = quant.requantize %y, %mul, %add shift 0 clip 0 to 255 in i64 : i8, i32, i64 -> i8
  %b = quant.requantize %y, %mul, %add shift 0 clip 0 to 255 in i64 : i8, i32, i64 -> i8
  // CHECK-NEXT: %c = quant.requantize %y, %y, %y shift 63 clip -32768 to 65535 in i64 {engine = "npu"} : i8, i8, i8 -> i16 loc("node")
  %c = quant.requantize %y, %y, %y shift 63 clip -32768 to 65535 in i64 {engine = "npu"} : i8, i8, i8 -> i16 loc("node")
  func.return %a, %b, %c : i8, i8, i16
}

// CHECK-LABEL: func.func @entry
func.func @entry(%i: index) -> f32 {
  // CHECK-NEXT: %f = quant.entry %i {table = dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>} : f32
  %f = quant.entry %i {table = dense<[0.5, 0.25]> : tensor<2xf32>} : f32
  func.return %f : f32
}
