// RUN: opt-tool %s -p hoist-transfers | filecheck %s

// Shards of an instance are views of one memory, a slot is seen as a shard: the kernel writes other bytes than are sent.
// CHECK-LABEL: func.func @separate
// CHECK: linalg.fill
// CHECK: %slot = hier.reserve %ring[%next]
// CHECK-NEXT: %tile = memref.view %slot
// CHECK-NEXT: %sent = hier.dma_start %own[%zero, %zero] to %tile
// CHECK-NEXT: %kept = hier.dma_start %whole[%zero, %zero] from %own
// CHECK-NEXT: linalg.add
// CHECK-NEXT: hier.dma_wait %sent
// CHECK-NEXT: hier.push %ring
// CHECK-NEXT: hier.dma_wait %kept
func.func @separate() {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %number = arith.constant 1 : i32
  %memory = memref.alloca() : memref<4x256xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>
  %ring = hier.stream depth 1 : !hier.stream<memref<64xi8, "NODE"> over [4]>
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [4] {
      %shard = hier.local %memory[%p] : memref<4x256xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>> -> memref<1x256xi8, "NODE">
      %bytes = memref.collapse_shape %shard [[0, 1]] : memref<1x256xi8, "NODE"> into memref<256xi8, "NODE">
      %at_sums = arith.constant 64 : index
      %at_whole = arith.constant 128 : index
      %own = memref.view %bytes[%zero][] : memref<256xi8, "NODE"> to memref<1x16xi32, "NODE">
      %sums = memref.view %bytes[%at_sums][] : memref<256xi8, "NODE"> to memref<1x16xi32, "NODE">
      %whole = memref.view %bytes[%at_whole][] : memref<256xi8, "NODE"> to memref<2x16xi32, "NODE">
      %next = arith.remui %p, %four : index
      linalg.fill ins(%number : i32) outs(%own : memref<1x16xi32, "NODE">)
      linalg.add ins(%own, %own : memref<1x16xi32, "NODE">, memref<1x16xi32, "NODE">) outs(%sums : memref<1x16xi32, "NODE">)
      %slot = hier.reserve %ring[%next] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      %tile = memref.view %slot[%zero][] : memref<64xi8, "NODE"> to memref<1x16xi32, "NODE">
      %sent = hier.dma_start %own[%zero, %zero] to %tile : memref<1x16xi32, "NODE">, memref<1x16xi32, "NODE">
      %kept = hier.dma_start %whole[%zero, %zero] from %own : memref<2x16xi32, "NODE">, memref<1x16xi32, "NODE">
      hier.dma_wait %sent
      hier.push %ring[%next] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      hier.dma_wait %kept
      %got = hier.pop %ring[%p] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      hier.release %ring[%p] : !hier.stream<memref<64xi8, "NODE"> over [4]>
    }
  }
  func.return
}

// The kernel writes the of what is sent, and reads the last bytes of what the second transfer overwrites.
// CHECK-LABEL: func.func @common
// CHECK: linalg.fill
// CHECK-NEXT: linalg.add
// CHECK-NEXT: %kept = hier.dma_start %whole
// CHECK-NEXT: %slot = hier.reserve %ring[%next]
// CHECK-NEXT: %tile = memref.view %slot
// CHECK-NEXT: %sent = hier.dma_start %own
func.func @common() {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %number = arith.constant 1 : i32
  %memory = memref.alloca() : memref<4x320xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>
  %ring = hier.stream depth 1 : !hier.stream<memref<64xi8, "NODE"> over [4]>
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [4] {
      %shard = hier.local %memory[%p] : memref<4x320xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>> -> memref<1x320xi8, "NODE">
      %bytes = memref.collapse_shape %shard [[0, 1]] : memref<1x320xi8, "NODE"> into memref<320xi8, "NODE">
      %at_sums = arith.constant 32 : index
      %at_last = arith.constant 192 : index
      %at_other = arith.constant 256 : index
      %at_whole = arith.constant 128 : index
      %own = memref.view %bytes[%zero][] : memref<320xi8, "NODE"> to memref<1x16xi32, "NODE">
      %sums = memref.view %bytes[%at_sums][] : memref<320xi8, "NODE"> to memref<1x16xi32, "NODE">
      %last = memref.view %bytes[%at_last][] : memref<320xi8, "NODE"> to memref<1x16xi32, "NODE">
      %other = memref.view %bytes[%at_other][] : memref<320xi8, "NODE"> to memref<1x16xi32, "NODE">
      %whole = memref.view %bytes[%at_whole][] : memref<320xi8, "NODE"> to memref<2x16xi32, "NODE">
      %next = arith.remui %p, %four : index
      linalg.fill ins(%number : i32) outs(%own : memref<1x16xi32, "NODE">)
      linalg.add ins(%last, %last : memref<1x16xi32, "NODE">, memref<1x16xi32, "NODE">) outs(%sums : memref<1x16xi32, "NODE">)
      %kept = hier.dma_start %whole[%zero, %zero] from %other : memref<2x16xi32, "NODE">, memref<1x16xi32, "NODE">
      %slot = hier.reserve %ring[%next] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      %tile = memref.view %slot[%zero][] : memref<64xi8, "NODE"> to memref<1x16xi32, "NODE">
      %sent = hier.dma_start %own[%zero, %zero] to %tile : memref<1x16xi32, "NODE">, memref<1x16xi32, "NODE">
      hier.dma_wait %sent
      hier.push %ring[%next] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      hier.dma_wait %kept
      %got = hier.pop %ring[%p] : !hier.stream<memref<64xi8, "NODE"> over [4]>
      hier.release %ring[%p] : !hier.stream<memref<64xi8, "NODE"> over [4]>
    }
  }
  func.return
}
