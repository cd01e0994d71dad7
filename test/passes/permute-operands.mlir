// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_blocked.toml},permute-operands | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_blocked.toml},permute-operands,plan-memory,verify-memory -o %t.mlir
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_blocked.toml},permute-operands --interpret-each -o %t.mlir

// Weights are needed in blocks of columns: their columns become the last axis. Two products share them.

// CHECK:       memref.global "private" constant @w_last0 : memref<3x2xi8> = dense<{{\[}}[1, 4], [2, 5], [3, 6]]>
// CHECK-NOT:   memref.global
// CHECK:       %[[G:.*]] = memref.get_global @w_last0 : memref<3x2xi8>
// CHECK-NEXT:  %[[V:.*]] = memref.reinterpret_cast %[[G]] to offset: [0], sizes: [2, 3], strides: [1, 2] : memref<3x2xi8> to memref<2x3xi8, strided<[1, 2]>>
// CHECK-NEXT:  nn.matmul ins(%a, %[[V]] : memref<4x3xi8>, memref<2x3xi8, strided<[1, 2]>>)
// CHECK:       memref.get_global @w_last0
// CHECK:       nn.matmul ins(%b,
memref.global "private" constant @w : memref<2x3xi8> = dense<[[1, 2, 3], [4, 5, 6]]>
func.func @network(%a: memref<4x3xi8>, %b: memref<4x3xi8>, %c: memref<4x2xi32>, %d: memref<4x2xi32>) {
  %w = memref.get_global @w : memref<2x3xi8>
  nn.matmul ins(%a, %w : memref<4x3xi8>, memref<2x3xi8>) outs(%c : memref<4x2xi32>) {accumulator = i32, transpose_b, engine = "array"}
  nn.matmul ins(%b, %w : memref<4x3xi8>, memref<2x3xi8>) outs(%d : memref<4x2xi32>) {accumulator = i32, transpose_b, engine = "array"}
  func.return
}

// What is no constant is copied.

// CHECK-LABEL: func.func @copied
// CHECK:         %[[T:.*]] = memref.alloc() : memref<3x2xi8>
// CHECK-NEXT:    linalg.transpose ins(%x : memref<2x3xi8>) outs(%[[T]] : memref<3x2xi8>) permutation = [1, 0] {engine = "core"}
// CHECK-NEXT:    %[[U:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [2, 3], strides: [1, 2]
// CHECK-NEXT:    nn.matmul ins(%a, %[[U]]
func.func @copied(%a: memref<4x3xi8>, %x: memref<2x3xi8>, %c: memref<4x2xi32>) {
  nn.matmul ins(%a, %x : memref<4x3xi8>, memref<2x3xi8>) outs(%c : memref<4x2xi32>) {accumulator = i32, transpose_b, engine = "array"}
  func.return
}
