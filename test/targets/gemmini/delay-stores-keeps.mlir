// RUN: opt-tool %s -p delay-stores,symbol-dce | filecheck %s

// The next iteration waits for the store; a fence does; the store depends on a value that the loop carries.
// CHECK-LABEL: func.func @awaited
// CHECK:         func.call @products
// CHECK-NEXT:    func.call @write
// CHECK-NOT:     func.call @write
// CHECK-LABEL: func.func @fenced
// CHECK:         func.call @products
// CHECK-NEXT:    gemmini.fence
// CHECK-NEXT:    func.call @write
// CHECK-NOT:     func.call @write
// CHECK-LABEL: func.func @carried
// CHECK:         func.call @products
// CHECK-NEXT:    func.call @write
// CHECK-NOT:     func.call @write
func.func @awaited(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %acc: memref<4096xi8, "ACC">, %y: memref<8x32x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c2048 = arith.constant 2048 : index
  %n = hier.dma_none
  %a = scf.for %i = %c0 to %c8 step %c1 iter_args(%last = %n) -> (!hier.token) {
    %half = arith.remui %i, %c2 : index
    %at = arith.muli %half, %c2048 : index
    %sums = memref.view %acc[%at][] : memref<4096xi8, "ACC"> to memref<1x32x16xi32, "ACC">
    hier.dma_wait %last
    func.call @products(%x, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
    func.call @write(%y, %sums, %i) : (memref<8x32x16xi8>, memref<1x32x16xi32, "ACC">, index) -> ()
    %t = hier.dma_none
    scf.yield %t : !hier.token
  }
  hier.dma_wait %a
  func.return
}

func.func @fenced(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %acc: memref<4096xi8, "ACC">, %y: memref<8x32x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c2048 = arith.constant 2048 : index
  %n = hier.dma_none
  %a, %b = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %n, %last = %n) -> (!hier.token, !hier.token) {
    %half = arith.remui %i, %c2 : index
    %at = arith.muli %half, %c2048 : index
    %sums = memref.view %acc[%at][] : memref<4096xi8, "ACC"> to memref<1x32x16xi32, "ACC">
    hier.dma_wait %old
    func.call @products(%x, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
    gemmini.fence
    func.call @write(%y, %sums, %i) : (memref<8x32x16xi8>, memref<1x32x16xi32, "ACC">, index) -> ()
    %t = hier.dma_none
    scf.yield %last, %t : !hier.token, !hier.token
  }
  hier.dma_wait %a
  hier.dma_wait %b
  func.return
}

func.func @carried(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %acc: memref<4096xi8, "ACC">, %y: memref<8x32x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c2048 = arith.constant 2048 : index
  %n = hier.dma_none
  %a, %b, %e = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %n, %last = %n, %j = %c0) -> (!hier.token, !hier.token, index) {
    %half = arith.remui %i, %c2 : index
    %at = arith.muli %half, %c2048 : index
    %sums = memref.view %acc[%at][] : memref<4096xi8, "ACC"> to memref<1x32x16xi32, "ACC">
    hier.dma_wait %old
    func.call @products(%x, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
    func.call @write(%y, %sums, %j) : (memref<8x32x16xi8>, memref<1x32x16xi32, "ACC">, index) -> ()
    %t = hier.dma_none
    %next = arith.addi %j, %c1 : index
    scf.yield %last, %t, %next : !hier.token, !hier.token, index
  }
  hier.dma_wait %a
  hier.dma_wait %b
  func.return
}

func.func private @products(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %y: memref<1x32x16xi32, "ACC">) attributes {engine = "array"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %c2 step %c1 {
    gemmini.preload %w[%k, %c0, %c0] {k = 16 : i64, n = 16 : i64} : memref<2x16x16xi8, "SPAD">
    gemmini.compute_preloaded_add %x[%k, %c0, %c0], %y[%c0, %c0, %c0] {rows = 16 : i64, k = 16 : i64, n = 16 : i64, step = 1 : i64} : memref<2x32x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">
    gemmini.compute_accumulated_add %x[%k, %c16, %c0], %y[%c0, %c16, %c0] {rows = 16 : i64, k = 16 : i64, n = 16 : i64, step = 1 : i64} : memref<2x32x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">
  }
  func.return
}

func.func private @write(%far: memref<8x32x16xi8>, %near: memref<1x32x16xi32, "ACC">, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.for %r = %c0 to %c2 step %c1 {
    %row = arith.muli %r, %c16 : index
    gemmini.mvout %near[%c0, %row, %c0], %far[%i, %row, %c0], %c16, %c16 : memref<1x32x16xi32, "ACC">, memref<8x32x16xi8>
  }
  func.return
}
