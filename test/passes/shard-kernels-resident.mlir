// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=true} | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=true},lower-sharded,allocate-sharded,verify-levels,verify-memory -o %t.mlir
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels | filecheck %s --check-prefix=OFF

// OFF-NOT: hier.resident

// The columns of the weight that a node needs are loaded in the first call alone.
// CHECK: memref.global "private" constant @w : memref<16x24xf32> = dense<1.000000e+00>{{$}}
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: [[w:%.*]] = hier.resident {
// CHECK-NEXT: ([[own:%.*]]: memref<2x16x24xf32, #hier.sharded<"NODE" over [2, 2] (d0, d1, d2) -> (d2 floordiv 12, d0)>>):
// CHECK: hier.program "load" on "array"
// CHECK: hier.local [[own]]
// CHECK: hier.dma_start %w[{{.*}}] to %{{.*}} : memref<16x24xf32>, memref<16x12xf32, "NODE">
// CHECK: hier.program "matmul" on "array"
// CHECK-NOT: hier.dma_start %w
// CHECK: hier.local [[w]]
// CHECK: nn.matmul
memref.global "private" constant @w : memref<16x24xf32> = dense<1.0>
func.func @rows(%x: memref<32x16xf32>, %y: memref<32x24xf32> {tilewright.output}) {
  %w = memref.get_global @w : memref<16x24xf32>
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%y : memref<32x24xf32>) {accumulator = f32}
  func.return
}
