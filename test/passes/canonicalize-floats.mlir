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

// Complex numbers, rounded after each step: the product of 3e38 and itself is infinite, 1 + 2^-12 squared is inexact.

// CHECK-LABEL: func.func @complex
func.func @complex() -> (complex<f32>, complex<f32>, complex<f16>) {
  // CHECK-DAG: complex.constant [0x7f800000 : f32, 0x7f800000 : f32] : complex<f32>
  // CHECK-DAG: complex.constant [0x7f800000 : f32, 0.000000e+00 : f32] : complex<f32>
  // CHECK-DAG: complex.constant [0x7c00 : f16, 2.000000e+00 : f16] : complex<f16>
  %a = complex.constant [3.0e38 : f32, 3.0e38 : f32] : complex<f32>
  %z = complex.constant [3.0e38 : f32, 0.0 : f32] : complex<f32>
  %h = complex.constant [6.0e4 : f16, 1.0 : f16] : complex<f16>
  %0 = complex.add %a, %a : complex<f32>
  %1 = complex.mul %z, %z : complex<f32>
  %2 = complex.add %h, %h : complex<f16>
  func.return %0, %1, %2 : complex<f32>, complex<f32>, complex<f16>
}
