// RUN: opt-tool %s --split-input-file -p verify-memory --verify-diagnostics

// The slots of two streams overlap.
func.func @streams(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %s = hier.stream depth 2 address 0 : !hier.stream<memref<2xi32, "L1">>
  // expected-error@+2 {{the buffers of %s and %t overlap in L1 (rule 'disjoint')}}
  // expected-note@+1 {{counterexample: address 8 of L1}}
  %t = hier.stream depth 2 address 8 : !hier.stream<memref<2xi32, "L1">>
  hier.concurrent {
    hier.program "first" {
      %a = hier.reserve %s : !hier.stream<memref<2xi32, "L1">>
      memref.copy %x, %a : memref<2xi32> to memref<2xi32, "L1">
      hier.push %s : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "second" {
      %a = hier.pop %s : !hier.stream<memref<2xi32, "L1">>
      %b = hier.reserve %t : !hier.stream<memref<2xi32, "L1">>
      memref.copy %a, %b : memref<2xi32, "L1"> to memref<2xi32, "L1">
      hier.push %t : !hier.stream<memref<2xi32, "L1">>
      hier.release %s : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "third" {
      %b = hier.pop %t : !hier.stream<memref<2xi32, "L1">>
      memref.copy %b, %y : memref<2xi32, "L1"> to memref<2xi32>
      hier.release %t : !hier.stream<memref<2xi32, "L1">>
    }
  }
  func.return
}

// -----

// A buffer of one program overlaps a slot that two others use.
func.func @buffer(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %s = hier.stream depth 1 address 0 : !hier.stream<memref<2xi32, "L1">>
  hier.concurrent {
    hier.program "produce" {
      %a = hier.reserve %s : !hier.stream<memref<2xi32, "L1">>
      memref.copy %x, %a : memref<2xi32> to memref<2xi32, "L1">
      hier.push %s : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "consume" {
      %a = hier.pop %s : !hier.stream<memref<2xi32, "L1">>
      memref.copy %a, %y : memref<2xi32, "L1"> to memref<2xi32>
      hier.release %s : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "beside" {
      // expected-error@+2 {{the buffers of %s and %own overlap in L1 (rule 'disjoint')}}
      // expected-note@+1 {{counterexample: address 4 of L1}}
      %own = memref.alloc() {hier.address = 4 : i64} : memref<2xi32, "L1">
      memref.copy %x, %own : memref<2xi32> to memref<2xi32, "L1">
    }
  }
  func.return
}

// -----

// A transfer to the first buffer is in flight while the second one is used.
func.func @in_flight(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  // expected-error@+2 {{the buffers of %a and %b overlap in L1 (rule 'disjoint')}}
  // expected-note@+1 {{counterexample: address 0 of L1}}
  %b = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  %t = hier.dma_start %x[%c0] to %a : memref<2xi32>, memref<2xi32, "L1">
  memref.copy %x, %b : memref<2xi32> to memref<2xi32, "L1">
  memref.copy %b, %y : memref<2xi32, "L1"> to memref<2xi32>
  hier.dma_wait %t
  func.return
}

// -----

// So is one that a loop leaves in flight.
func.func @out_of_a_loop(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  // expected-error@+2 {{the buffers of %a and %b overlap in L1 (rule 'disjoint')}}
  // expected-note@+1 {{counterexample: address 0 of L1}}
  %b = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  %none = hier.dma_none
  %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%before = %none) -> (!hier.token) {
    hier.dma_wait %before
    %t = hier.dma_start %x[%c0] to %a : memref<2xi32>, memref<2xi32, "L1">
    scf.yield %t : !hier.token
  }
  memref.copy %x, %b : memref<2xi32> to memref<2xi32, "L1">
  memref.copy %b, %y : memref<2xi32, "L1"> to memref<2xi32>
  hier.dma_wait %last
  func.return
}

// -----

// A launched kernel still reads its buffer.
func.func @launched(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %a = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  // expected-error@+2 {{the buffers of %a and %b overlap in L1 (rule 'disjoint')}}
  // expected-note@+1 {{counterexample: address 4 of L1}}
  %b = memref.alloc() {hier.address = 4 : i64} : memref<2xi32, "L1">
  memref.copy %x, %a : memref<2xi32> to memref<2xi32, "L1">
  %job = hier.launch {
    linalg.add ins(%a, %a : memref<2xi32, "L1">, memref<2xi32, "L1">) outs(%y : memref<2xi32>) attrs = {engine = "npu"}
  }
  memref.copy %x, %b : memref<2xi32> to memref<2xi32, "L1">
  hier.join %job
  func.return
}
