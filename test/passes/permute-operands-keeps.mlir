// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_blocked.toml} -o %t.a.mlir
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_blocked.toml},permute-operands -o %t.b.mlir
// RUN: diff %t.a.mlir %t.b.mlir

// The columns of @v are its last axis, and the core needs no blocks of @w.
memref.global "private" constant @v : memref<3x2xi8> = dense<[[1, 2], [3, 4], [5, 6]]>
memref.global "private" constant @w : memref<2x3xi8> = dense<[[1, 2, 3], [4, 5, 6]]>
func.func @network(%a: memref<4x3xi8>, %c: memref<4x2xi32>, %d: memref<4x2xi32>) {
  %v = memref.get_global @v : memref<3x2xi8>
  %w = memref.get_global @w : memref<2x3xi8>
  nn.matmul ins(%a, %v : memref<4x3xi8>, memref<3x2xi8>) outs(%c : memref<4x2xi32>) {accumulator = i32, engine = "array"}
  nn.matmul ins(%a, %w : memref<4x3xi8>, memref<2x3xi8>) outs(%d : memref<4x2xi32>) {accumulator = i32, transpose_b, engine = "core"}
  func.return
}
