// RUN: opt-tool %s -p allocate-sharded | filecheck %s

!rows = memref<16x8xi32, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0 floordiv 4)>>

// The first and the third value have one place: nobody reads the first where the third is written.
// CHECK-LABEL: func.func @chain
// CHECK: [[memory:%.*]] = memref.alloca() : memref<4x256xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>
// CHECK: [[own:%.*]] = hier.local [[memory]]
// CHECK: [[flat:%.*]] = memref.collapse_shape [[own]] {{.*}} : memref<1x256xi8, "NODE"> into memref<256xi8, "NODE">
// CHECK: memref.view [[flat]][[[first:%.*]]][] : memref<256xi8, "NODE"> to memref<4x8xi32, "NODE">
// CHECK-NOT: memref.alloca()
func.func @chain(%x: memref<16x8xi32>, %y: memref<16x8xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : !rows
  %b = memref.alloca() : !rows
  %c = memref.alloca() : !rows
  hier.concurrent {
    hier.program "load" over (%p) in [4] {
      %at = arith.muli %p, %c4 : index
      %own = hier.local %a[%p] : !rows -> memref<4x8xi32, "NODE">
      %t = hier.dma_start %x[%at, %c0] to %own : memref<16x8xi32>, memref<4x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  hier.concurrent {
    hier.program "double" over (%p) in [4] {
      %own = hier.local %a[%p] : !rows -> memref<4x8xi32, "NODE">
      %to = hier.local %b[%p] : !rows -> memref<4x8xi32, "NODE">
      linalg.add ins(%own, %own : memref<4x8xi32, "NODE">, memref<4x8xi32, "NODE">) outs(%to : memref<4x8xi32, "NODE">)
    }
  }
  hier.concurrent {
    hier.program "again" over (%p) in [4] {
      %own = hier.local %b[%p] : !rows -> memref<4x8xi32, "NODE">
      %to = hier.local %c[%p] : !rows -> memref<4x8xi32, "NODE">
      linalg.add ins(%own, %own : memref<4x8xi32, "NODE">, memref<4x8xi32, "NODE">) outs(%to : memref<4x8xi32, "NODE">)
    }
  }
  hier.concurrent {
    hier.program "store" over (%p) in [4] {
      %at = arith.muli %p, %c4 : index
      %own = hier.local %c[%p] : !rows -> memref<4x8xi32, "NODE">
      %t = hier.dma_start %y[%at, %c0] from %own : memref<16x8xi32>, memref<4x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  func.return
}
