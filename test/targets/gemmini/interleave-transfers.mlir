// RUN: opt-tool %s -p interleave-transfers,symbol-dce | filecheck %s

// CHECK-LABEL: func.func @network
// CHECK-NOT:     func.call @read
// CHECK:         } else {
// CHECK:         %[[J:.*]] = arith.addi %i, %c1
// CHECK:         func.call @products_1(%near, %w, %sums, %more, %x, %next, %[[J]])
// CHECK-NEXT:    hier.dma_wait
func.func @network(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %i: index, %more: i1) {
  %c1 = arith.constant 1 : index
  %t = scf.if %more -> (!hier.token) {
    %j = arith.addi %i, %c1 : index
    func.call @read(%x, %next, %j) : (memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">, index) -> ()
    %u = hier.dma_none
    scf.yield %u : !hier.token
  } else {
    %v = hier.dma_none
    scf.yield %v : !hier.token
  }
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  hier.dma_wait %t
  func.return
}

// A load of a constant place, below in @filled: its bounds are constants.
// CHECK-LABEL: func.func private @products_2
// CHECK-NOT:     arith.maxsi
// CHECK:         arith.select %{{.*}}, %c1, %c0
// CHECK-NOT:     arith.maxsi
// CHECK:         func.return

// Two units of loads over two blocks of products, each behind its own; none where the condition does not hold.
// CHECK-LABEL: func.func private @products_1
// CHECK-SAME:    engine = "array"
// CHECK:         %[[ALL:.*]] = arith.select %{{.*}}, %{{.*}}, %c0
// CHECK:         scf.for %k = %c0 to %c2
// CHECK:           gemmini.preload
// CHECK:           gemmini.compute_preloaded_add
// CHECK:           gemmini.compute_accumulated_add
// CHECK:           arith.minsi %{{.*}}, %[[ALL]]
// CHECK:           scf.for %u
// CHECK:             gemmini.mvin_blocks
// CHECK:         func.return
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

func.func private @read(%far: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.for %r = %c0 to %c2 step %c1 {
    %row = arith.muli %r, %c16 : index
    gemmini.mvin_blocks %far[%i, %row, %c0], %near[%c0, %row, %c0], %c16 {blocks = 2 : i64, id = 0 : i64} : memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">
  }
  func.return
}

// What fills the sums stands between, and accesses other memory.
// CHECK-LABEL: func.func @filled
// CHECK-NOT:     func.call @clipped
// CHECK:         func.call @fill(
// CHECK:         func.call @products_2(
func.func @filled(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %first: i1) {
  %cm1 = arith.constant -1 : index
  func.call @clipped(%x, %next, %cm1) : (memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">, index) -> ()
  %t = hier.dma_none
  scf.if %first {
    func.call @fill(%sums) : (memref<1x32x16xi32, "ACC">) -> ()
  }
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  hier.dma_wait %t
  func.return
}

func.func private @fill(%y: memref<1x32x16xi32, "ACC">) attributes {engine = "array"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  gemmini.mvin_acc_zero %y[%c0, %c0, %c0], %c16 : memref<1x32x16xi32, "ACC">
  func.return
}

func.func private @clipped(%far: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %before = arith.subi %c0, %i : index
  %low = arith.maxsi %before, %c0 : index
  scf.for %r = %low to %c2 step %c1 {
    %row = arith.muli %r, %c16 : index
    %there = arith.addi %i, %r : index
    gemmini.mvin_blocks %far[%there, %c0, %c0], %near[%c0, %row, %c0], %c16 {blocks = 2 : i64, id = 0 : i64} : memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">
  }
  func.return
}

// One load over four blocks of products of two steps each: a branch guards the step halfway in each block.
// CHECK-LABEL: func.func @steps
// CHECK:         func.call @deep_1(
func.func @steps(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<4x16x16xi32, "ACC">, %i: index) {
  func.call @read(%x, %next, %i) : (memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">, index) -> ()
  %t = hier.dma_none
  func.call @deep(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<4x16x16xi32, "ACC">) -> ()
  hier.dma_wait %t
  func.return
}

// CHECK-LABEL: func.func private @deep_1
// CHECK:         scf.for %n = %c0 to %c4
// CHECK:           scf.for %k = %c0 to %c2
// CHECK:             gemmini.compute_preloaded_add
// CHECK:             %[[REST:.*]] = arith.remui %k, %c2
// CHECK:             %[[HALFWAY:.*]] = arith.cmpi eq, %[[REST]], %c1
// CHECK:             scf.if %[[HALFWAY]] {
// CHECK-NEXT:          scf.for %u
// CHECK:                 gemmini.mvin_blocks
func.func private @deep(%x: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %y: memref<4x16x16xi32, "ACC">) attributes {engine = "array"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %n = %c0 to %c4 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      gemmini.preload %w[%k, %c0, %c0] {k = 16 : i64, n = 16 : i64} : memref<2x16x16xi8, "SPAD">
      gemmini.compute_preloaded_add %x[%k, %c0, %c0], %y[%n, %c0, %c0] {rows = 16 : i64, k = 16 : i64, n = 16 : i64, step = 1 : i64} : memref<2x32x16xi8, "SPAD">, memref<4x16x16xi32, "ACC">
    }
  }
  func.return
}
