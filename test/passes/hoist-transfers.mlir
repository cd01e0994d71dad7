// RUN: opt-tool %s -p hoist-transfers | filecheck %s

// The second transfer is issued before the wait for the first, and the third as soon as its source is there.
// CHECK-LABEL: func.func @program
// CHECK: %sums = memref.alloca()
// CHECK-NEXT: %own = memref.alloca()
// CHECK-NEXT: %other = memref.alloca()
// CHECK-NEXT: %first = hier.dma_start %x
// CHECK-NEXT: %second = hier.dma_start %y
// CHECK-NEXT: hier.dma_wait %first
// CHECK-NEXT: %ahead = arith.addi %p, %one : index
// CHECK-NEXT: %next = arith.remui %ahead, %four : index
// CHECK-NEXT: %slot = hier.reserve %ring[%next]
// CHECK-NEXT: %sent = hier.dma_start %own[%zero, %zero] to %slot
// CHECK-NEXT: hier.dma_wait %second
// CHECK-NEXT: linalg.add
// CHECK-NEXT: hier.dma_wait %sent
// CHECK-NEXT: hier.push
func.func @program(%x: memref<4x8xi32>, %y: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %ring = hier.stream depth 1 : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [4] {
      %sums = memref.alloca() : memref<1x8xi32, "NODE">
      %own = memref.alloca() : memref<1x8xi32, "NODE">
      %other = memref.alloca() : memref<1x8xi32, "NODE">
      %first = hier.dma_start %x[%p, %zero] to %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %first
      %second = hier.dma_start %y[%p, %zero] to %other : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %second
      linalg.add ins(%own, %other : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">) outs(%sums : memref<1x8xi32, "NODE">)
      %ahead = arith.addi %p, %one : index
      %next = arith.remui %ahead, %four : index
      %slot = hier.reserve %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %sent = hier.dma_start %own[%zero, %zero] to %slot : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">
      hier.dma_wait %sent
      hier.push %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %got = hier.pop %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      hier.release %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
    }
  }
  func.return
}
