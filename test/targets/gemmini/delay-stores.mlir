// RUN: opt-tool %s -p delay-stores,symbol-dce | filecheck %s

// CHECK-LABEL: func.func @network
// CHECK:         scf.for %i = %c0 to %c8
// CHECK:           hier.dma_wait %old
// CHECK:           %[[LESS:.*]] = arith.subi %i, %c1
// CHECK-NEXT:      %[[BEFORE:.*]] = arith.maxsi %[[LESS]], %c0
// CHECK-NEXT:      %[[SECOND:.*]] = arith.cmpi sgt, %i, %c0
// CHECK:           %[[SUMS:.*]] = memref.view %acc
// CHECK:           scf.if %[[SECOND]] {
// CHECK-NEXT:        func.call @write(%y, %[[SUMS]], %[[BEFORE]])
// CHECK:           func.call @products(%x, %w, %sums)
// CHECK-NOT:       func.call @write
// CHECK:           scf.yield %last, %t
// CHECK:         %[[END:.*]] = arith.constant 7 : index
// CHECK:         func.call @write(%y, %{{.*}}, %[[END]])
// CHECK:         hier.dma_wait
func.func @network(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %acc: memref<4096xi8, "ACC">, %y: memref<8x32x16xi8>) {
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
    func.call @write(%y, %sums, %i) : (memref<8x32x16xi8>, memref<1x32x16xi32, "ACC">, index) -> ()
    %t = hier.dma_none
    scf.yield %last, %t : !hier.token, !hier.token
  }
  hier.dma_wait %a
  hier.dma_wait %b
  func.return
}

// A tile of two steps is stored at the second one, so at the first of the next tile.
// CHECK-LABEL: func.func @guarded
// CHECK:         scf.for %i = %c0 to %c8
// CHECK:           %[[SECOND:.*]] = arith.cmpi sgt, %i, %c0
// CHECK:           %[[ODD:.*]] = arith.cmpi eq
// CHECK:           %[[BOTH:.*]] = arith.andi %[[SECOND]], %[[ODD]]
// CHECK-NEXT:      scf.if %[[BOTH]] {
// CHECK-NEXT:        func.call @write
// CHECK:           func.call @products
// CHECK-NOT:       func.call @write
// CHECK:           scf.yield
func.func @guarded(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %acc: memref<4096xi8, "ACC">, %y: memref<8x32x16xi8>) {
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
    %even = arith.cmpi eq, %half, %c0 : index
    scf.if %even {
      hier.dma_wait %old
    }
    func.call @products(%x, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
    %odd = arith.cmpi eq, %half, %c1 : index
    %o, %t = scf.if %odd -> (!hier.token, !hier.token) {
      func.call @write(%y, %sums, %i) : (memref<8x32x16xi8>, memref<1x32x16xi32, "ACC">, index) -> ()
      %m = hier.dma_none
      scf.yield %last, %m : !hier.token, !hier.token
    } else {
      scf.yield %old, %last : !hier.token, !hier.token
    }
    scf.yield %o, %t : !hier.token, !hier.token
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
