// RUN: opt-tool %s -p attach-machine{target=%S/../mesh_4x4.toml},verify-levels,verify-memory -o %t.mlir

// Product of 16x32 by 32x16 on 4x4 nodes: node (i, j) multiplies the columns 8 j to 8 j + 7 of %a, for rows 4 i to 4 i + 3, and the
// partial sums of a row of nodes are reduced from node to neighbour. The last node of the row holds the total.
func.func @network(%a: memref<16x32xi8> {onnx.name = "a"}, %b: memref<32x16xi8> {onnx.name = "b"},
                   %c: memref<16x16xi32> {onnx.name = "c", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %sums = hier.stream depth 1 : !hier.stream<memref<4x16xi32, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "node" on "array" over (%i, %j) in [4, 4] {
      %own_a = memref.alloca() : memref<4x8xi8, "NODE">
      %own_b = memref.alloca() : memref<8x16xi8, "NODE">
      %own_c = memref.alloca() : memref<4x16xi32, "NODE">
      %row = arith.muli %i, %four : index
      %depth = arith.muli %j, %eight : index
      %ta = hier.dma_start %a[%row, %depth] to %own_a : memref<16x32xi8>, memref<4x8xi8, "NODE">
      %tb = hier.dma_start %b[%depth, %zero] to %own_b : memref<32x16xi8>, memref<8x16xi8, "NODE">
      hier.dma_wait %ta
      hier.dma_wait %tb
      nn.matmul ins(%own_a, %own_b : memref<4x8xi8, "NODE">, memref<8x16xi8, "NODE">) outs(%own_c : memref<4x16xi32, "NODE">) {accumulator = i32}
      %is_inner = arith.cmpi ugt, %j, %zero : index
      scf.if %is_inner {
        %partial = hier.pop %sums[%i, %j] : !hier.stream<memref<4x16xi32, "NODE"> over [4, 4]>
        linalg.add ins(%partial, %own_c : memref<4x16xi32, "NODE">, memref<4x16xi32, "NODE">) outs(%own_c : memref<4x16xi32, "NODE">)
        hier.release %sums[%i, %j] : !hier.stream<memref<4x16xi32, "NODE"> over [4, 4]>
      }
      %is_last = arith.cmpi eq, %j, %three : index
      scf.if %is_last {
        %tc = hier.dma_start %c[%row, %zero] from %own_c : memref<16x16xi32>, memref<4x16xi32, "NODE">
        hier.dma_wait %tc
      } else {
        %next = arith.addi %j, %one : index
        %slot = hier.reserve %sums[%i, %next] : !hier.stream<memref<4x16xi32, "NODE"> over [4, 4]>
        %ts = hier.dma_start %own_c[%zero, %zero] to %slot : memref<4x16xi32, "NODE">, memref<4x16xi32, "NODE">
        hier.dma_wait %ts
        hier.push %sums[%i, %next] : !hier.stream<memref<4x16xi32, "NODE"> over [4, 4]>
      }
    }
  }
  func.return
}
