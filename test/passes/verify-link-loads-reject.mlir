// RUN: opt-tool %s --split-input-file --verify-diagnostics -p attach-machine{target=pim/4x4},verify-link-loads

// Two hops at once: the transfers of instances 0 and 1 of a row both take the link from 1 to 2.
func.func @far(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %s = hier.stream depth 1 : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [4, 4] {
      %own = memref.alloca() : memref<8xf32, "NODE">
      %q0 = arith.addi %p, %c2 : index
      %q = arith.remui %q0, %c4 : index
      %slot = hier.reserve %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      // expected-error @below {{a link carries two transfers of program 'node' at once}}
      %t = hier.dma_start %own[%c0] to %slot : memref<8xf32, "NODE">, memref<8xf32, "NODE">
      hier.dma_wait %t
      hier.push %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      %got = hier.pop %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      hier.release %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
    }
  }
  func.return
}

// -----

func.func @drawn(%table: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %s = hier.stream depth 1 : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [4, 4] {
      %own = memref.alloca() : memref<8xf32, "NODE">
      %q = hier.lookup %table[%p] in [0, 4) : memref<4xi32>
      %slot = hier.reserve %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      // expected-error @below {{is no affine function of the one that issues it}}
      %t = hier.dma_start %own[%c0] to %slot : memref<8xf32, "NODE">, memref<8xf32, "NODE">
      hier.dma_wait %t
      hier.push %s[%h, %q] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      %got = hier.pop %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
      hier.release %s[%h, %p] : !hier.stream<memref<8xf32, "NODE"> over [4, 4]>
    }
  }
  func.return
}
