// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/external.toml},map-engines,place-addressed,plan-memory{reuse-distance=4},verify-memory{plain=false},allocate-static' | filecheck %s
// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/external.toml},map-engines,place-addressed,plan-memory{reuse-distance=4},allocate-static,expand-grid,pipeline-dma,overlap-engines' | filecheck %s --check-prefix=EARLY

// All weights of a kernel that fit come at once, although the kernel could begin with the first of them: those of the
// second come while the first one runs. For that they have an address that the first kernel leaves alone. What lies
// between kernels, and is viewed with strides, stays in L2; so does what the program takes elements of itself.

// CHECK-LABEL: func.func @network
// CHECK: memref.alloc() {hier.address = {{[0-9]+}} : i64} : memref<256x256xi8, "L2">
// CHECK: hier.grid{{$}}
// CHECK-NEXT: ins(%{{.*}} = %x : memref<256x256xi8, "L2">,
// CHECK-NEXT: %{{.*}} = %w in "L2" address [[W:[0-9]+]] : memref<256x256xi8>)
// CHECK: memref.subview {{.*}} : memref<256x256xi8, "L2"> to memref<128x256xi8, strided<[512, 1]>, "L2">
// CHECK-NOT: in "L2" address [[W]] :
// CHECK: memref.alloc() {hier.address = {{[0-9]+}} : i64} : memref<128x256xi8, "L2">
// CHECK: memref.load %{{.*}} : memref<128x256xi8, "L2">

// EARLY-LABEL: func.func @network
// EARLY: hier.dma_start %w[{{.*}} to %{{.*}} : memref<256x256xi8>, memref<256x256xi8, "L2">
// EARLY: hier.dma_start %v[{{.*}} to %{{.*}} : memref<256x256xi8>, memref<256x256xi8, "L2">
// EARLY: nn.matmul
// EARLY: nn.matmul
memref.global "private" constant @w : memref<256x256xi8> = dense<1>
memref.global "private" constant @v : memref<256x256xi8> = dense<1>
func.func @network(%x: memref<256x256xi8>, %y: memref<1xi8> {tilewright.output}) {
  %w = memref.get_global @w : memref<256x256xi8>
  %v = memref.get_global @v : memref<256x256xi8>
  %t = memref.alloc() : memref<256x256xi8>
  nn.matmul ins(%x, %w : memref<256x256xi8>, memref<256x256xi8>) outs(%t : memref<256x256xi8>) {accumulator = i8, transpose_b}
  %half = memref.subview %t[0, 0] [128, 256] [2, 1] : memref<256x256xi8> to memref<128x256xi8, strided<[512, 1]>>
  %u = memref.alloc() : memref<128x256xi8>
  nn.matmul ins(%half, %v : memref<128x256xi8, strided<[512, 1]>>, memref<256x256xi8>) outs(%u : memref<128x256xi8>) {accumulator = i8, transpose_b}
  %i = arith.constant 0 : index
  %one = memref.load %u[%i, %i] : memref<128x256xi8>
  memref.store %one, %y[%i] : memref<1xi8>
  func.return
}
