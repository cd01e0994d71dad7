// RUN: opt-tool %s -p 'attach-machine{target=%S/../../machines/external.toml},verify-levels,convert-dma-to-cluster' | filecheck %s

// Transfers to and from the external level are another engine's, and so are the waits for them, wherever a loop or a
// conditional brings the token from. Globals there are marked.

// CHECK: memref.global {{.*}}@weights : {{.*}} {tilewright.external}
// CHECK-LABEL: func.func private @read_tile_0
// CHECK: %[[G:.*]] = cluster.dma_begin {external} : i32
// CHECK: cluster.dma_in {{.*}} {axis = 0 : i64, external}
// CHECK: func.return %[[G]] : i32
// CHECK-LABEL: func.func private @read_tile_1
// CHECK: cluster.dma_begin : i32
// CHECK: cluster.dma_in {{.*}} {axis = 0 : i64}
// CHECK-LABEL: func.func @network
// CHECK: scf.for
// CHECK:   scf.if
// CHECK:   cluster.dma_wait %{{.*}} {external} : i32
// CHECK:   cluster.dma_wait %{{.*}} : i32
// CHECK: cluster.dma_wait %{{.*}} {external} : i32
memref.global "private" constant @weights : memref<16x64xi8> = dense<1>
memref.global "private" @network_L2 : memref<1024xi8, "L2"> = uninitialized
memref.global "private" @network_L1 : memref<1024xi8, "L1"> = uninitialized
func.func @network(%x: memref<16x64xi8, "L2">) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %w = memref.get_global @weights : memref<16x64xi8>
  %l2 = memref.get_global @network_L2 : memref<1024xi8, "L2">
  %l1 = memref.get_global @network_L1 : memref<1024xi8, "L1">
  %m = memref.view %l2[%zero][] : memref<1024xi8, "L2"> to memref<8x64xi8, "L2">
  %n = memref.view %l1[%zero][] : memref<1024xi8, "L1"> to memref<8x64xi8, "L1">
  %first = hier.dma_start %w[%zero, %zero] to %m : memref<16x64xi8>, memref<8x64xi8, "L2">
  %last = scf.for %i = %zero to %two step %one iter_args(%token = %first) -> (!hier.token) {
    %more = arith.cmpi slt, %i, %one : index
    %next = scf.if %more -> (!hier.token) {
      %begun = hier.dma_start %w[%i, %zero] to %m : memref<16x64xi8>, memref<8x64xi8, "L2">
      scf.yield %begun : !hier.token
    } else {
      %none = hier.dma_none
      scf.yield %none : !hier.token
    }
    hier.dma_wait %token
    %near = hier.dma_start %x[%i, %zero] to %n : memref<16x64xi8, "L2">, memref<8x64xi8, "L1">
    hier.dma_wait %near
    scf.yield %next : !hier.token
  }
  hier.dma_wait %last
  func.return
}
