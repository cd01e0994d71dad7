// RUN: opt-tool %s -p interleave-transfers,symbol-dce | filecheck %s

// The kernel's operand is awaited; a fence stands between; registers are set between; a kernel between fills the memory.
// CHECK-LABEL: func.func @awaited
// CHECK:         func.call @read
// CHECK:         func.call @products(
// CHECK-LABEL: func.func @fenced
// CHECK:         func.call @read
// CHECK:         func.call @products(
// CHECK-LABEL: func.func @filled
// CHECK:         func.call @read
// CHECK:         func.call @fill
// CHECK:         func.call @products(
// CHECK-LABEL: func.func @configured
// CHECK:         func.call @read
// CHECK:         func.call @products(
func.func @awaited(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %i: index, %more: i1) {
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
  hier.dma_wait %t
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  func.return
}

func.func @fenced(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %i: index, %more: i1) {
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
  gemmini.fence
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  hier.dma_wait %t
  func.return
}

func.func @filled(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %i: index) {
  func.call @read(%x, %next, %i) : (memref<8x32x32xi8>, memref<2x32x16xi8, "SPAD">, index) -> ()
  %t = hier.dma_none
  func.call @fill(%next) : (memref<2x32x16xi8, "SPAD">) -> ()
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  hier.dma_wait %t
  func.return
}

func.func private @fill(%y: memref<2x32x16xi8, "SPAD">) attributes {engine = "array"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  gemmini.mvin_zero %y[%c0, %c0, %c0], %c16 : memref<2x32x16xi8, "SPAD">
  func.return
}

func.func @configured(%x: memref<8x32x32xi8>, %near: memref<2x32x16xi8, "SPAD">, %next: memref<2x32x16xi8, "SPAD">, %w: memref<2x16x16xi8, "SPAD">, %sums: memref<1x32x16xi32, "ACC">, %i: index, %more: i1) {
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
  gemmini.config_ex {step = 2 : i64}
  func.call @products(%near, %w, %sums) : (memref<2x32x16xi8, "SPAD">, memref<2x16x16xi8, "SPAD">, memref<1x32x16xi32, "ACC">) -> ()
  hier.dma_wait %t
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
