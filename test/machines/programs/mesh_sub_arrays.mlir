// RUN: opt-tool %s -p attach-machine{target=%S/../mesh_4x4.toml},lower-sharded,verify-levels,verify-memory -o %t.mlir

// Two branches at once on the halves of 4x4 nodes: nodes (0..1, p) square their rows of %a, nodes (2..3, p) add their rows of %b to those of the
// node before, and the column sums of the second half are its result.
!a = memref<8x8xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
!b = memref<8x8xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 floordiv 4 + 2, d1 floordiv 2)>>
!parts = memref<2x8xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 + 2, d1 floordiv 2)>>
!total = memref<1x8xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (2, d1 floordiv 2)>>

func.func @network(%a: memref<8x8xi32> {onnx.name = "a"}, %b: memref<8x8xi32> {onnx.name = "b"},
                   %y: memref<8x8xi32> {onnx.name = "y", tilewright.output}, %z: memref<1x8xi32> {onnx.name = "z", tilewright.output}) {
  %all_a = memref.alloc() : !a
  %all_b = memref.alloc() : !b
  %before = memref.alloc() : !b
  %parts = memref.alloc() : !parts
  %total = memref.alloc() : !total
  %zero = arith.constant 0 : i32
  memref.copy %a, %all_a : memref<8x8xi32> to !a
  memref.copy %b, %all_b : memref<8x8xi32> to !b
  hier.shift %all_b to %before along 1 by 1 : !b
  hier.concurrent {
    hier.program "squares" on "array" over (%i, %j) in [2, 4] {
      %own = hier.local %all_a[%i, %j] : !a -> memref<4x2xi32, "NODE">
      linalg.mul ins(%own, %own : memref<4x2xi32, "NODE">, memref<4x2xi32, "NODE">) outs(%own : memref<4x2xi32, "NODE">)
    }
    hier.program "sums" on "array" over (%i, %j) in [2, 4] from [2, 0] {
      %own = hier.local %all_b[%i, %j] : !b -> memref<4x2xi32, "NODE">
      %left = hier.local %before[%i, %j] : !b -> memref<4x2xi32, "NODE">
      %part = hier.local %parts[%i, %j] : !parts -> memref<1x2xi32, "NODE">
      linalg.add ins(%own, %left : memref<4x2xi32, "NODE">, memref<4x2xi32, "NODE">) outs(%own : memref<4x2xi32, "NODE">)
      %row = memref.collapse_shape %part [[0, 1]] : memref<1x2xi32, "NODE"> into memref<2xi32, "NODE">
      linalg.fill ins(%zero : i32) outs(%row : memref<2xi32, "NODE">)
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%own : memref<4x2xi32, "NODE">) outs(%row : memref<2xi32, "NODE">) {
      ^bb0(%x: i32, %o: i32):
        %s = arith.addi %x, %o : i32
        linalg.yield %s : i32
      }
    }
  }
  hier.reduce add %parts to %total along 0 : !parts, !total
  memref.copy %all_a, %y : !a to memref<8x8xi32>
  memref.copy %total, %z : !total to memref<1x8xi32>
  func.return
}
