// RUN: opt-tool %s -p expand-grid,pipeline-dma,lower-to-npu,canonicalize,cse --interpret-each | filecheck %s

// Weights that stay in the weight memory: a tile without a level is a view of them, which the NPU reads there.

// CHECK:      memref.subview %w[%{{.*}}, %{{.*}}] [32, 64] [1, 1] : memref<64x64xi8, "WMEM"> to memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">
// CHECK-NOT:  hier.dma_start %w
// CHECK:      %[[a:.*]] = npu.address %{{.*}} : memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM"> -> i32
// CHECK:      %[[base:.*]] = arith.addi %[[a]], %{{.*}} : i32
// CHECK:      npu.write 0, %[[base]] : i32
builtin.module {
  func.func @network(%x: memref<72x40xi8> {onnx.name = "x"}, %w: memref<64x64xi8, "WMEM"> {onnx.name = "w"},
                     %y: memref<72x64xi32> {onnx.name = "y", tilewright.output}) {
    hier.grid [2, 2] ins(%x, %w : memref<72x40xi8>, memref<64x64xi8, "WMEM">) outs(%y : memref<72x64xi32>)
        tiles [#hier.tile<[36, 40] at affine_map<(d0, d1) -> (d0 * 36, 0)> in "L1" address 0 stages 2>,
               #hier.tile<[32, 64] at affine_map<(d0, d1) -> (d1 * 32, 0)>>,
               #hier.tile<[36, 32] at affine_map<(d0, d1) -> (d0 * 36, d1 * 32)> in "L1" address 4096 stages 2>] {
    ^bb0(%i: index, %j: index, %tx: memref<36x40xi8, "L1">, %tw: memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">, %ty: memref<36x32xi32, "L1">):
      npu.matmul ins(%tx, %tw : memref<36x40xi8, "L1">, memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">)
          outs(%ty : memref<36x32xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
      hier.yield
    }
    func.return
  }
}
