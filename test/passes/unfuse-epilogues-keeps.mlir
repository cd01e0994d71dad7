// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_core.toml} -o %t.a.mlir
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_core.toml},unfuse-epilogues -o %t.b.mlir
// RUN: diff %t.a.mlir %t.b.mlir

// What the link computes stays, and so do epilogues of an engine whose sums have no level of their own.
func.func @network(%a: memref<8x64xi8>, %b: memref<64x32xi8>, %r: memref<8x32xi8>, %c: memref<8x32xi8>, %d: memref<8x32xi8>) {
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%c : memref<8x32xi8>) {accumulator = i32, engine = "array"}
      epilogue() at [] {
  ^bb0(%sum: i32):
    %f = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  nn.matmul ins(%a, %b : memref<8x64xi8>, memref<64x32xi8>) outs(%d : memref<8x32xi8>) {accumulator = i32, engine = "core"}
      epilogue(%r : memref<8x32xi8>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %o: i8):
    %f = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %u = arith.addi %t, %o : i8
    linalg.yield %u : i8
  }
  func.return
}
