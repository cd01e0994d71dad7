// RUN: opt-tool %s --mlir-print-debuginfo -p outline-kernels | filecheck %s

// Equal kernels share a function, at whatever place their operands lie; others get their own. Names of nodes stay at
// the calls.

// CHECK:       func.func private @matmul_0(%in0: memref<2x8xi8>, %in1: memref<4x8xi8>, %out: memref<2x4xi32>) {
// CHECK-NEXT:    nn.matmul ins(%in0, %in1 : memref<2x8xi8>, memref<4x8xi8>) outs(%out : memref<2x4xi32>) {accumulator = i32, transpose_b}
// CHECK-NEXT:    func.return
// CHECK:       func.func private @matmul_1(
// CHECK:       func.func private @fill_0(%out: memref<2x4xi32>) {
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    linalg.fill ins(%[[ZERO]] : i32) outs(%out : memref<2x4xi32>)
// CHECK:       func.func private @copy_0(%in0: memref<2x4xi32>, %out: memref<2x4xi32>) {
// CHECK-NOT:   func.func private
// CHECK:       func.func @network
// CHECK-NEXT:    func.call @matmul_0(%x, %w, %p) {macs = 64 : i64} : {{.*}} loc("first")
// CHECK-NEXT:    func.call @matmul_0(%x, %v, %q) {macs = 64 : i64} : {{.*}} loc("second")
// CHECK-NEXT:    func.call @matmul_1(%x, %s) {macs = 32 : i64}
// CHECK:         func.call @fill_0(%p) {macs = 0 : i64}
// CHECK-NEXT:    func.call @copy_0(%p, %q) {macs = 0 : i64}
// CHECK-NEXT:    func.return
func.func @network(%x: memref<2x8xi8>, %w: memref<4x8xi8>, %v: memref<4x8xi8>, %p: memref<2x4xi32>, %q: memref<2x4xi32>, %s: memref<2x2xi32>) {
  nn.matmul ins(%x, %w : memref<2x8xi8>, memref<4x8xi8>) outs(%p : memref<2x4xi32>) {accumulator = i32, transpose_b} loc("first")
  nn.matmul ins(%x, %v : memref<2x8xi8>, memref<4x8xi8>) outs(%q : memref<2x4xi32>) {accumulator = i32, transpose_b} loc("second")
  nn.matmul ins(%x, %x : memref<2x8xi8>, memref<2x8xi8>) outs(%s : memref<2x2xi32>) {accumulator = i32, transpose_b} loc("third")
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%p : memref<2x4xi32>)
  memref.copy %p, %q : memref<2x4xi32> to memref<2x4xi32>
  func.return
}

// Only integers become arguments; floats tell kernels apart, also zeros of either sign.

// CHECK:       func.func private @fill_1(
// CHECK-NEXT:    arith.constant 0.000000e+00 : f32
// CHECK:       func.func private @fill_2(
// CHECK-NEXT:    arith.constant -0.000000e+00 : f32
// CHECK:       func.func @zeros
// CHECK:         func.call @fill_1(%x)
// CHECK-NEXT:    func.call @fill_2(%y)
func.func @zeros(%x: memref<4xf32>, %y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
  linalg.fill ins(%minus : f32) outs(%y : memref<4xf32>)
  func.return
}
