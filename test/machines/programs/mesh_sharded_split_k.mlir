// RUN: opt-tool %s -p attach-machine{target=%S/../mesh_4x4.toml},lower-sharded,verify-levels,verify-memory -o %t.mlir

// Product of 16x32 by 32x16 on 4x4 nodes, by values that are sharded over them: node (i, j) multiplies the columns 8 j to 8 j + 7 of %a,
// for rows 4 i to 4 i + 3, and the partial sums of a row of nodes are reduced. The last node of the row holds the total.
!a = memref<16x32xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 floordiv 4, d1 floordiv 8)>>
!all_b = memref<4x32x16xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 floordiv 8)>>
!one_b = memref<1x32x16xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 floordiv 8)>>
!partial = memref<16x4x16xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0 floordiv 4, d1)>>
!total = memref<16x1x16xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0 floordiv 4, 3)>>

func.func @network(%a: memref<16x32xi8> {onnx.name = "a"}, %b: memref<1x32x16xi8> {onnx.name = "b"},
                   %c: memref<16x1x16xi32> {onnx.name = "c", tilewright.output}) {
  %all_a = memref.alloc() : !a
  %one_b = memref.alloc() : !one_b
  %all_b = memref.alloc() : !all_b
  %partial = memref.alloc() : !partial
  %total = memref.alloc() : !total
  memref.copy %a, %all_a : memref<16x32xi8> to !a
  memref.copy %b, %one_b : memref<1x32x16xi8> to !one_b
  hier.broadcast %one_b to %all_b along 0 : !one_b, !all_b
  hier.concurrent {
    hier.program "node" on "array" over (%i, %j) in [4, 4] {
      %own_a = hier.local %all_a[%i, %j] : !a -> memref<4x8xi8, "NODE">
      %slab = hier.local %all_b[%i, %j] : !all_b -> memref<1x8x16xi8, "NODE">
      %own_b = memref.collapse_shape %slab [[0, 1], [2]] : memref<1x8x16xi8, "NODE"> into memref<8x16xi8, "NODE">
      %slab_c = hier.local %partial[%i, %j] : !partial -> memref<4x1x16xi32, "NODE">
      %own_c = memref.collapse_shape %slab_c [[0, 1], [2]] : memref<4x1x16xi32, "NODE"> into memref<4x16xi32, "NODE">
      nn.matmul ins(%own_a, %own_b : memref<4x8xi8, "NODE">, memref<8x16xi8, "NODE">) outs(%own_c : memref<4x16xi32, "NODE">) {accumulator = i32}
    }
  }
  hier.reduce add %partial to %total along 1 : !partial, !total
  memref.copy %total, %c : !total to memref<16x1x16xi32>
  func.return
}
