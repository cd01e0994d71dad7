// RUN: opt-tool %s -p attach-machine{target=pim/4x4},lower-sharded,verify-link-loads | filecheck %s

// Rings of both coordinates, in both directions, and of several steps: the instance at the end sends back over all.
!k = memref<16x16xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 floordiv 4, d1 floordiv 4)>>
// CHECK-LABEL: func.func @rings
// CHECK-COUNT-3: hier.program "shift" on "array"
func.func @rings(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %a = memref.alloc() : !k
  %b = memref.alloc() : !k
  memref.copy %x, %a : memref<16x16xf32> to !k
  hier.shift %a to %b along 0 by 1 : !k
  hier.shift %b to %a along 1 by -1 : !k
  hier.shift %a to %b along 1 by 2 : !k
  memref.copy %b, %y : !k to memref<16x16xf32>
  func.return
}

// A row of its own for each program: the upper and the lower half of the mesh at once.
// CHECK-LABEL: func.func @halves
func.func @halves(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %s = hier.stream depth 1 : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "upper" on "array" over (%h, %p) in [2, 4] {
      %own = memref.alloca() : memref<8xf32, "NODE">
      %q0 = arith.addi %p, %c1 : index
      %q = arith.remui %q0, %c4 : index
      %slot = hier.reserve %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      %t = hier.dma_start %own[%c0] to %slot : memref<8xf32, "NODE">, memref<8xf32, "NODE">
      hier.dma_wait %t
      hier.push %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      %got = hier.pop %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      hier.release %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
    }
  }
  func.return
}
