// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=true},lower-sharded,allocate-sharded{resident=767} | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=true},lower-sharded,allocate-sharded{resident=767},verify-levels,verify-memory -o %t.mlir
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{resident=true},lower-sharded,allocate-sharded{resident=768} | filecheck %s --check-prefix=FITS

// FITS-NOT: hier.streamed
// FITS: hier.resident

// A weight that is a byte too large is loaded before each kernel that uses it, to the one memory of the instances.
// CHECK: hier.streamed = "768 bytes of an instance, where 1 are missing"
// CHECK-NOT: hier.resident
// CHECK: [[memory:%.*]] = memref.alloca() : memref<2x2x{{.*}}xi8, #hier.sharded
// CHECK: hier.program "load" on "array"
// CHECK: hier.local [[memory]]
// CHECK: hier.dma_start %w
// CHECK: hier.program "matmul" on "array"
// CHECK: nn.matmul
// CHECK: hier.program "load" on "array"
// CHECK: hier.dma_start %w
// CHECK: hier.program "matmul" on "array"
// CHECK: nn.matmul
memref.global "private" constant @w : memref<16x24xf32> = dense<1.0>
func.func @rows(%x: memref<32x16xf32>, %y: memref<32x24xf32> {tilewright.output}, %z: memref<32x24xf32> {tilewright.output}) {
  %w = memref.get_global @w : memref<16x24xf32>
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%y : memref<32x24xf32>) {accumulator = f32}
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%z : memref<32x24xf32>) {accumulator = f32}
  func.return
}
