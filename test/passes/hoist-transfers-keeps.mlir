// RUN: opt-tool %s -p hoist-transfers | filecheck %s

// The kernel writes what is sent; it reads what the next transfer overwrites; a reservation passes no op of a stream.
// CHECK-LABEL: func.func @program
// CHECK: linalg.fill
// CHECK-NEXT: %next = arith.remui
// CHECK-NEXT: %slot = hier.reserve %ring[%next]
// CHECK-NEXT: %sent = hier.dma_start %own
// CHECK-NEXT: hier.dma_wait %sent
// CHECK-NEXT: hier.push %ring
// CHECK-NEXT: %again = hier.reserve %other[%next]
// CHECK-NEXT: %t = hier.dma_start %own
// CHECK-NEXT: hier.dma_wait %t
// CHECK-NEXT: hier.push %other
// CHECK-NEXT: linalg.add
// CHECK-NEXT: %over = hier.dma_start %x
func.func @program(%x: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %number = arith.constant 1 : i32
  %ring = hier.stream depth 1 : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
  %other = hier.stream depth 1 : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [4] {
      %own = memref.alloca() : memref<1x8xi32, "NODE">
      %sums = memref.alloca() : memref<1x8xi32, "NODE">
      linalg.fill ins(%number : i32) outs(%own : memref<1x8xi32, "NODE">)
      %next = arith.remui %p, %four : index
      %slot = hier.reserve %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %sent = hier.dma_start %own[%zero, %zero] to %slot : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">
      hier.dma_wait %sent
      hier.push %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %again = hier.reserve %other[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %t = hier.dma_start %own[%zero, %zero] to %again : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">
      hier.dma_wait %t
      hier.push %other[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      linalg.add ins(%own, %own : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">) outs(%sums : memref<1x8xi32, "NODE">)
      %over = hier.dma_start %x[%p, %zero] to %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %over
      %got = hier.pop %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      hier.release %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      %more = hier.pop %other[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      hier.release %other[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
    }
  }
  func.return
}
