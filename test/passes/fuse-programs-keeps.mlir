// RUN: opt-tool %s -p fuse-programs | filecheck %s

!rows = memref<4x8xi32, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>

// What one instance writes to a shared buffer, another one reads.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: hier.concurrent
func.func @shared(%x: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %k = memref.alloca() : !rows
  hier.concurrent {
    hier.program "store" on "array" over (%p) in [4] {
      %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
      %t = hier.dma_start %x[%p, %zero] from %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  hier.concurrent {
    hier.program "load" on "array" over (%p) in [4] {
      %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
      %other = arith.subi %three, %p : index
      %t = hier.dma_start %x[%other, %zero] to %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
      hier.dma_wait %t
    }
  }
  func.return
}

// The ranges overlap, the engines differ, and a kernel is between the programs.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: hier.concurrent
func.func @others(%x: memref<8xi32>) {
  %zero = arith.constant 0 : i32
  hier.concurrent {
    hier.program "a" on "array" over (%p) in [2] {
      %own = memref.alloca() : memref<8xi32, "NODE">
    }
  }
  hier.concurrent {
    hier.program "b" on "array" over (%p) in [2] from [1] {
      %own = memref.alloca() : memref<8xi32, "NODE">
    }
  }
  hier.concurrent {
    hier.program "c" on "other" over (%p) in [2] from [1] {
      %own = memref.alloca() : memref<8xi32, "NODE">
    }
  }
  linalg.fill ins(%zero : i32) outs(%x : memref<8xi32>)
  hier.concurrent {
    hier.program "d" on "other" over (%p) in [2] from [1] {
      %own = memref.alloca() : memref<8xi32, "NODE">
    }
  }
  func.return
}

// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: hier.concurrent
func.func @loop(%x: memref<4x8xi32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %k = memref.alloca() : !rows
  scf.for %i = %zero to %four step %one {
    hier.concurrent {
      hier.program "store" on "array" over (%p) in [4] {
        %own = hier.local %k[%p] : !rows -> memref<1x8xi32, "NODE">
        %t = hier.dma_start %x[%p, %zero] from %own : memref<4x8xi32>, memref<1x8xi32, "NODE">
        hier.dma_wait %t
      }
    }
  }
  func.return
}
