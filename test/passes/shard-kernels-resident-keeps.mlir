// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=767} | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels | filecheck %s --check-prefix=OFF

// OFF-NOT: hier.resident
// OFF-NOT: hier.streamed

// A weight that is a byte larger than what is left is loaded in each call.
// CHECK: hier.streamed = "768 bytes of a node, 767 of 767 are left"
// CHECK-NOT: hier.resident
// CHECK: hier.program "matmul" on "array"
// CHECK: hier.dma_start %w
// CHECK: nn.matmul
memref.global "private" constant @w : memref<16x24xf32> = dense<1.0>
func.func @rows(%x: memref<32x16xf32>, %y: memref<32x24xf32> {tilewright.output}) {
  %w = memref.get_global @w : memref<16x24xf32>
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%y : memref<32x24xf32>) {accumulator = f32}
  func.return
}
