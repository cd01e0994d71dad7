// RUN: opt-tool %s -p allocate-sharded | filecheck %s

!half = memref<8x8xi32, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0 floordiv 4)>>

// Two of four instances hold a shard.
// CHECK-LABEL: func.func @half
// CHECK: memref.alloca() : memref<8x8xi32, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0 floordiv 4)>>
// CHECK-NOT: memref.view
func.func @half(%x: memref<8x8xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : !half
  hier.concurrent {
    hier.program "load" over (%p) in [2] {
      %at = arith.muli %p, %c4 : index
      %own = hier.local %a[%p] : !half -> memref<4x8xi32, "NODE">
      %t = hier.dma_start %x[%at, %c0] to %own : memref<8x8xi32>, memref<4x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  func.return
}
