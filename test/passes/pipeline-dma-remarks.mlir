// RUN: opt-tool %s -p expand-grid,pipeline-dma --remarks-filter=. --verify-diagnostics -o %t
// RUN: opt-tool %s -p expand-grid,pipeline-dma --remarks %t.json -o %t.1
// RUN: opt-tool %s -p expand-grid,pipeline-dma -o - | diff - %t.1

// Two buffers of what is read: the next tile is fetched during compute. One buffer of what is written: its write is in flight.
func.func @ahead(%a: memref<20xi8>, %c: memref<20xi8>) {
  // expected-remark@+2 {{passed overlap of 'hier.dma_start': fetch of 3 tiles during compute, buffers: 2}}
  // expected-remark@+1 {{passed overlap of 'hier.dma_start': write of 3 tiles during compute, buffers: 1}}
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 8] [8] in "L1" address 0 stages 2 fill 0 : i8 : memref<20xi8>)
      outs(%tc = %c[%i * 8] [8] in "L1" address 16 : memref<20xi8>) {
    memref.copy %ta, %tc : memref<8xi8, "L1"> to memref<8xi8, "L1">
    hier.yield
  }
  func.return
}

// One buffer of what is read: each fetch is waited for. One that stays the same is none of the loop's.
func.func @waited(%a: memref<20xi8>, %b: memref<8xi8>, %c: memref<20xi8>) {
  // expected-remark@+2 {{missed overlap of 'hier.dma_start': fetch of 3 tiles is waited for: one buffer}}
  // expected-remark@+1 {{passed overlap of 'hier.dma_start': write of 3 tiles during compute, buffers: 1}}
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 8] [8] in "L1" address 0 fill 0 : i8 : memref<20xi8>,
          %tb = %b[0] [8] in "L1" address 8 : memref<8xi8>)
      outs(%tc = %c[%i * 8] [8] in "L1" address 16 : memref<20xi8>) {
    memref.copy %ta, %tc : memref<8xi8, "L1"> to memref<8xi8, "L1">
    memref.copy %tb, %tc : memref<8xi8, "L1"> to memref<8xi8, "L1">
    hier.yield
  }
  func.return
}
