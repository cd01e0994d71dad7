// RUN: opt-tool %s | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s
// RUN: opt-tool %s | opt-tool | filecheck %s

// CHECK-LABEL: func.func @grid
// CHECK:         ins(%ta = %a[%i * 2, 0] [2, 8] in "NODE" address 0 stages 2 from neighbour [1] : memref<8x8xi8>,
// CHECK-NEXT:        %tb = %b in "NODE" as i32 address 64 broadcast [0] from neighbour [0, 1] : memref<1x8xi8> (%v: i8) {
func.func @grid(%a: memref<8x8xi8>, %b: memref<1x8xi8>, %c: memref<8x8xi8>) {
  hier.grid (%i, %j) in [4, 2] spatial [0, 1]
      ins(%ta = %a[%i * 2, 0] [2, 8] in "NODE" address 0 stages 2 from neighbour [1] : memref<8x8xi8>,
          %tb = %b[0, 0] [1, 8] in "NODE" as i32 address 64 broadcast [0] from neighbour [0, 1] : memref<1x8xi8> (%v: i8) {
            %w = arith.extsi %v : i8 to i32
            hier.yield %w : i32
          })
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "NODE" address 128 : memref<8x8xi8>) {
    hier.yield
  }
  func.return
}

// CHECK-LABEL: func.func @streams
// CHECK:         hier.push %s after %{{.*}} : !hier.stream<memref<8xi8, "L1">>
// CHECK:         hier.front %s : !hier.stream<memref<8xi8, "L1">>
func.func @streams(%x: memref<8xi8>, %y: memref<8xi8>) {
  %zero = arith.constant 0 : index
  %s = hier.stream depth 2 : !hier.stream<memref<8xi8, "L1">>
  hier.concurrent {
    hier.program "send" {
      %slot = hier.reserve %s : !hier.stream<memref<8xi8, "L1">>
      %t = hier.dma_start %x[%zero] to %slot : memref<8xi8>, memref<8xi8, "L1">
      hier.push %s after %t : !hier.stream<memref<8xi8, "L1">>
      hier.dma_wait %t
    }
    hier.program "receive" {
      %first = hier.pop %s : !hier.stream<memref<8xi8, "L1">>
      %same = hier.front %s : !hier.stream<memref<8xi8, "L1">>
      %t = hier.dma_start %y[%zero] from %same : memref<8xi8>, memref<8xi8, "L1">
      hier.dma_wait %t
      hier.release %s : !hier.stream<memref<8xi8, "L1">>
    }
  }
  func.return
}
