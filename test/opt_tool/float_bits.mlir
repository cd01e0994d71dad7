// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s | opt-tool --mlir-print-op-generic | opt-tool | filecheck %s

// Hexadecimal digits are the bits of a float, wherever a float may stand.

// CHECK-LABEL: func.func @bits
func.func @bits() {
  // CHECK-NEXT: dense<"0x0000807F"> : tensor<f32>
  %inf = arith.constant dense<0x7F800000> : tensor<f32>
  // CHECK-NEXT: dense<1.000000e+00> : tensor<4xf32>
  %splat = arith.constant dense<0x3F800000> : tensor<4xf32>
  // CHECK-NEXT: dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf16>
  %half = arith.constant dense<[0x3C00, 2.5]> : tensor<2xf16>
  // CHECK-NEXT: dense<[-1.000000e+00, 2.000000e+00]> : tensor<2xbf16>
  %brain = arith.constant dense<[0xBF80, 0x4000]> : tensor<2xbf16>
  // CHECK-NEXT: dense<-2.000000e+00> : tensor<1xf64>
  %double = arith.constant dense<0xC000000000000000> : tensor<1xf64>
  // CHECK-NEXT: dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>
  %complex = arith.constant dense<(0x3F800000, 2.0)> : tensor<1xcomplex<f32>>
  // CHECK-NEXT: {list = array<f32: 0x7f800000, 1.500000e+00>} 0x7f800000 : f32
  %scalar = arith.constant {list = array<f32: 0x7F800000, 0x3FC00000>} 0x7F800000 : f32
  // CHECK-NEXT: dense<[16, 1]> : tensor<2xi32>
  %integer = arith.constant dense<[0x10, 1]> : tensor<2xi32>
  func.return
}

// Small constants are decimal where that is exact, with as many digits as it takes.

// CHECK-LABEL: func.func @digits
func.func @digits() {
  // CHECK-NEXT: dense<[1.000000e-01, 0.333333343]> : tensor<2xf32>
  %few = arith.constant dense<[0.1, 0.333333333]> : tensor<2xf32>
  // CHECK-NEXT: dense<2.99792448e+08> : tensor<8xf32>
  %whole = arith.constant dense<2.99792458e+08> : tensor<8xf32>
  // CHECK-NEXT: dense<0.33333333333333331> : tensor<1x1xf64>
  %double = arith.constant dense<[[0.33333333333333331]]> : tensor<1x1xf64>
  // CHECK-NEXT: dense<[9.997560e-02, 1.000000e+00]> : tensor<2xf16>
  %half = arith.constant dense<[0.1, 1.0]> : tensor<2xf16>
  // CHECK-NEXT: dense<> : tensor<0xf32>
  %none = arith.constant dense<> : tensor<0xf32>
  // CHECK-NEXT: dense<[(0.333333343,-0.000000e+00), (1.000000e+00,2.000000e+00)]> : tensor<2xcomplex<f32>>
  %complex = arith.constant dense<[(0.333333333, -0.0), (1.0, 2.0)]> : tensor<2xcomplex<f32>>
  func.return
}
