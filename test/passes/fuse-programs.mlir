// RUN: opt-tool %s -p fuse-programs,verify-memory | filecheck %s

!rows = memref<4x8xi32, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>

// The second program is over some of the instances of the first.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: hier.concurrent
// CHECK-NEXT: hier.program "scale" on "array" over ([[p:%.*]]) in [4] {
// CHECK: hier.dma_start %x[[[p]], %{{.*}}] to
// CHECK: linalg.mul
// CHECK: [[here:%.*]] = arith.andi
// CHECK-NEXT: scf.if [[here]] {
// CHECK: hier.dma_start %y[[[p]], %{{.*}}] from
// CHECK-NOT: hier.concurrent
// CHECK: func.return
func.func @one_after_the_other(%x: memref<4x8xi32>, %y: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %k = memref.alloca() : !rows
  hier.concurrent {
    hier.program "load" on "array" over (%p) in [4] {
      %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
      %t = hier.dma_start %x[%p, %zero] to %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  hier.concurrent {
    hier.program "scale" on "array" over (%p) in [4] {
      %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
      linalg.mul ins(%own, %own : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">) outs(%own : memref<1x8xi32, "NODE">)
    }
  }
  hier.concurrent {
    hier.program "store" on "array" over (%p) in [2] from [1] {
      %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
      %t = hier.dma_start %y[%p, %zero] from %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  func.return
}

// A loop becomes one of each instance; its stream is one of all iterations.
// CHECK-LABEL: func.func @loop
// CHECK: %ring = hier.stream depth 1
// CHECK-NEXT: hier.concurrent
// CHECK-NEXT: hier.program "shift" on "array" over (%{{.*}}) in [4] {
// CHECK-NEXT: scf.for
// CHECK-NOT: hier.concurrent
// CHECK: func.return
func.func @loop(%x: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %k = memref.alloca() : !rows
  scf.for %i = %zero to %four step %one {
    %ring = hier.stream depth 1 : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
    hier.concurrent {
      hier.program "shift" on "array" over (%p) in [4] {
        %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
        %u = hier.dma_start %x[%i, %zero] to %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
        hier.dma_wait %u
        %ahead = arith.addi %p, %one : index
        %next = arith.remui %ahead, %four : index
        %slot = hier.reserve %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
        %t = hier.dma_start %own[%zero, %zero] to %slot : memref<1x8xi32, "NODE">, memref<1x8xi32, "NODE">
        hier.dma_wait %t
        hier.push %ring[%next] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
        %got = hier.pop %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
        hier.release %ring[%p] : !hier.stream<memref<1x8xi32, "NODE"> over [4]>
      }
    }
  }
  func.return
}
