// RUN: opt-tool %s -p expand-grid,pipeline-dma,attach-machine{target=siracusa},lower-to-npu,canonicalize,cse --interpret-each | filecheck %s

// Weights that stay in the weight memory: a tile without a level is a view of them, which the NPU reads there.

// CHECK:      memref.subview %w[%{{.*}}, %{{.*}}] [32, 64] [1, 1] : memref<64x64xi8, "WMEM"> to memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">
// CHECK-NOT:  hier.dma_start %w
// CHECK:      %[[a:.*]] = npu.address %{{.*}} : memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">
// CHECK:      %[[base:.*]] = arith.addi %[[a]], %{{.*}} : i32
// CHECK:      npu.write %[[base]] {index = 0 : i64}
builtin.module {
  func.func @network(%x: memref<72x40xi8> {onnx.name = "x"}, %w: memref<64x64xi8, "WMEM"> {onnx.name = "w"},
                     %y: memref<72x64xi32> {onnx.name = "y", tilewright.output}) {
    hier.grid (%i, %j) in [2, 2]
        ins(%tx = %x[%i * 36, 0] [36, 40] in "L1" address 0 stages 2 : memref<72x40xi8>,
            %tw = %w[%j * 32, 0] [32, 64] : memref<64x64xi8, "WMEM">)
        outs(%ty = %y[%i * 36, %j * 32] [36, 32] in "L1" address 4096 stages 2 : memref<72x64xi32>) {
      npu.matmul ins(%tx, %tw : memref<36x40xi8, "L1">, memref<32x64xi8, strided<[64, 1], offset: ?>, "WMEM">)
          outs(%ty : memref<36x32xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
      hier.yield
    }
    func.return
  }
}
