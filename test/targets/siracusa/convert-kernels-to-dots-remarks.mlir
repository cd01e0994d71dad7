// RUN: opt-tool %s -p convert-kernels-to-dots --remarks-filter=. --verify-diagnostics -o %t

func.func @products(%x: memref<4x16xi8>, %w: memref<8x16xi8>, %v: memref<16x8xi8>, %s: memref<4x8xi32>, %a: memref<4x16xi16>, %b: memref<8x16xi16>) {
  // expected-remark@+1 {{passed vectorisation of 'nn.matmul': words of 4 bytes: blocks of products}}
  nn.matmul ins(%x, %w : memref<4x16xi8>, memref<8x16xi8>) outs(%s : memref<4x8xi32>) {accumulator = i32, transpose_b}
  // expected-remark@+1 {{missed vectorisation of 'nn.matmul': not by words of 4 bytes: the second matrix is not transposed, so that its products are not contiguous}}
  nn.matmul ins(%x, %v : memref<4x16xi8>, memref<16x8xi8>) outs(%s : memref<4x8xi32>) {accumulator = i32}
  // expected-remark@+1 {{missed vectorisation of 'nn.matmul': not by words of 4 bytes: inputs of i16 and i16, not of bytes}}
  nn.matmul ins(%a, %b : memref<4x16xi16>, memref<8x16xi16>) outs(%s : memref<4x8xi32>) {accumulator = i32, transpose_b}
  func.return
}
