// RUN: opt-tool %s -p verify-memory | filecheck %s

// Programs of one hier.concurrent after the other may have their buffers and slots at the same addresses.
// CHECK-LABEL: func.func @in_sequence
func.func @in_sequence(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}, %z: memref<2xi32> {tilewright.output}) {
  %s = hier.stream depth 1 address 0 : !hier.stream<memref<2xi32, "L1">>
  %t = hier.stream depth 1 address 4 : !hier.stream<memref<2xi32, "L1">>
  hier.concurrent {
    hier.program "produce" {
      %own = memref.alloc() {hier.address = 8 : i64} : memref<2xi32, "L1">
      memref.copy %x, %own : memref<2xi32> to memref<2xi32, "L1">
      %a = hier.reserve %s : !hier.stream<memref<2xi32, "L1">>
      memref.copy %own, %a : memref<2xi32, "L1"> to memref<2xi32, "L1">
      hier.push %s : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "consume" {
      %a = hier.pop %s : !hier.stream<memref<2xi32, "L1">>
      memref.copy %a, %y : memref<2xi32, "L1"> to memref<2xi32>
      hier.release %s : !hier.stream<memref<2xi32, "L1">>
    }
  }
  hier.concurrent {
    hier.program "produce" {
      %a = hier.reserve %t : !hier.stream<memref<2xi32, "L1">>
      memref.copy %x, %a : memref<2xi32> to memref<2xi32, "L1">
      hier.push %t : !hier.stream<memref<2xi32, "L1">>
    }
    hier.program "consume" {
      %own = memref.alloc() {hier.address = 12 : i64} : memref<2xi32, "L1">
      %a = hier.pop %t : !hier.stream<memref<2xi32, "L1">>
      memref.copy %a, %own : memref<2xi32, "L1"> to memref<2xi32, "L1">
      hier.release %t : !hier.stream<memref<2xi32, "L1">>
      memref.copy %own, %z : memref<2xi32, "L1"> to memref<2xi32>
    }
  }
  func.return
}

// The first buffer is free after the wait.
// CHECK-LABEL: func.func @after_the_wait
func.func @after_the_wait(%x: memref<2xi32>, %y: memref<2xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  %b = memref.alloc() {hier.address = 0 : i64} : memref<2xi32, "L1">
  %t = hier.dma_start %x[%c0] to %a : memref<2xi32>, memref<2xi32, "L1">
  hier.dma_wait %t
  memref.copy %x, %b : memref<2xi32> to memref<2xi32, "L1">
  memref.copy %b, %y : memref<2xi32, "L1"> to memref<2xi32>
  func.return
}
