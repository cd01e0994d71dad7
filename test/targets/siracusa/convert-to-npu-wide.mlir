// RUN: opt-tool %s -p attach-machine{target=siracusa},convert-to-npu{engine=npu} | filecheck %s
// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse,bufferize --interpret-each --interpret-function=zero_point -o %t

// Weights less a zero point, of 9 bits: the NPU stores them in 8, and adds the least of them.

// CHECK-LABEL: func.func @zero_point
// CHECK:         npu.matmul {{.*}} {bits = 8 : i64, offset = -20 : i64, unsigned = array<i64: 0>
func.func @zero_point(%x: tensor<64x4xi8>) -> tensor<64x2xi32> {
  %w = arith.constant dense<[[-20, 5, 200, 235], [0, 1, 2, 3]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<64x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<64x4xi8>, tensor<2x4xi16>) outs(%e : tensor<64x2xi32>) {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  func.return %y : tensor<64x2xi32>
}

// More than 8 bits apart, they stay on the cores.

// CHECK-LABEL: func.func @wide
// CHECK:         nn.matmul
func.func @wide(%x: tensor<64x4xi8>) -> tensor<64x2xi32> {
  %w = arith.constant dense<[[-21, 5, 200, 235], [0, 1, 2, 3]]> : tensor<2x4xi16>
  %e = tensor.empty() : tensor<64x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<64x4xi8>, tensor<2x4xi16>) outs(%e : tensor<64x2xi32>) {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  func.return %y : tensor<64x2xi32>
}
