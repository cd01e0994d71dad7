// RUN: opt-tool %s --verify-each=roundtrip -p canonicalize | filecheck %s

func.func @tiles(%x: memref<64xi8>, %y: memref<64xi8>) {
  %s = hier.stream depth 2 address 128 : !hier.stream<memref<64xi8, "L1">>
  %go = hier.stream depth 1 : !hier.stream
  hier.concurrent {
    hier.program "produce" on "dma" {
      hier.pop %go : !hier.stream
      hier.release %go : !hier.stream
      %t = hier.reserve %s : !hier.stream<memref<64xi8, "L1">>
      memref.copy %x, %t : memref<64xi8> to memref<64xi8, "L1">
      hier.push %s : !hier.stream<memref<64xi8, "L1">>
    }
    hier.program "consume" attributes {note = 1 : i64} {
      hier.reserve %go : !hier.stream
      hier.push %go : !hier.stream
      %u = hier.pop %s : !hier.stream<memref<64xi8, "L1">>
      memref.copy %u, %y : memref<64xi8, "L1"> to memref<64xi8>
      hier.release %s : !hier.stream<memref<64xi8, "L1">>
    }
  }
  func.return
}

// CHECK:      %s = hier.stream depth 2 address 128 : !hier.stream<memref<64xi8, "L1">>
// CHECK-NEXT: %go = hier.stream depth 1 : !hier.stream
// CHECK-NEXT: hier.concurrent {
// CHECK-NEXT:   hier.program "produce" on "dma" {
// CHECK-NEXT:     hier.pop %go : !hier.stream
// CHECK-NEXT:     hier.release %go : !hier.stream
// CHECK-NEXT:     %t = hier.reserve %s : !hier.stream<memref<64xi8, "L1">>
// CHECK:        hier.program "consume" attributes {note = 1 : i64} {

func.func @ring(%x: memref<4x8xi8>) {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %ring = hier.stream depth 2 : !hier.stream<memref<8xi8, "NODE"> over [4]>
  hier.concurrent {
    hier.program "node" on "array" over (%p) in [4] {
      %next = arith.addi %p, %one : index
      %q = arith.remui %next, %four : index
      %t = hier.reserve %ring[%q] : !hier.stream<memref<8xi8, "NODE"> over [4]>
      hier.push %ring[%q] : !hier.stream<memref<8xi8, "NODE"> over [4]>
      %u = hier.pop %ring[%p] : !hier.stream<memref<8xi8, "NODE"> over [4]>
      hier.release %ring[%p] : !hier.stream<memref<8xi8, "NODE"> over [4]>
    }
  }
  func.return
}

// CHECK:      %ring = hier.stream depth 2 : !hier.stream<memref<8xi8, "NODE"> over [4]>
// CHECK:      hier.program "node" on "array" over (%p) in [4] {
// CHECK:        %t = hier.reserve %ring[%q] : !hier.stream<memref<8xi8, "NODE"> over [4]>
