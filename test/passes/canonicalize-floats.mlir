// RUN: opt-tool %s -p canonicalize | filecheck %s

// A sum beyond the largest number is infinite, as in mlir-opt.

// CHECK-LABEL: func.func @overflow
func.func @overflow() -> (f16, bf16, f32, f64) {
  // CHECK-DAG: arith.constant 0x7f800000 : f32
  // CHECK-DAG: arith.constant 0x7c00 : f16
  // CHECK-DAG: arith.constant 0x7f80 : bf16
  // CHECK-DAG: arith.constant 0x7ff0000000000000 : f64
  %a = arith.constant 6.0e4 : f16
  %b = arith.constant 3.0e38 : bf16
  %c = arith.constant 3.0e38 : f32
  %d = arith.constant 1.0e308 : f64
  %0 = arith.addf %a, %a : f16
  %1 = arith.addf %b, %b : bf16
  %2 = arith.mulf %c, %c : f32
  %3 = arith.mulf %d, %d : f64
  func.return %0, %1, %2, %3 : f16, bf16, f32, f64
}

// CHECK-LABEL: func.func @reassociated
func.func @reassociated(%x: f32) -> f32 {
  // CHECK-NEXT: %[[C:.*]] = arith.constant 0x7f800000 : f32
  // CHECK-NEXT: arith.mulf %[[C]], %x fastmath<reassoc> : f32
  %c = arith.constant 3.0e38 : f32
  %0 = arith.mulf %c, %x fastmath<reassoc> : f32
  %r = arith.mulf %0, %c fastmath<reassoc> : f32
  func.return %r : f32
}

// Floats without arithmetic here are left alone.

// CHECK-LABEL: func.func @narrow
func.func @narrow() -> f8E4M3FN {
  // CHECK: arith.addf
  %c = arith.constant 4.0e2 : f8E4M3FN
  %0 = arith.addf %c, %c : f8E4M3FN
  func.return %0 : f8E4M3FN
}
