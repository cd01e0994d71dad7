// RUN: opt-tool %s -p verify-memory,expand-grid,verify-memory | filecheck %s
// RUN: opt-tool %s -p verify-memory,expand-grid,pipeline-dma,verify-memory | filecheck %s --check-prefix=AHEAD
// RUN: opt-tool %s -p verify-memory,expand-grid,pipeline-dma,outline-kernels,convert-dma-to-loops | filecheck %s --check-prefix=LOOPS

// Copies with a level of their own: one memory with a part for each, of which each copy sees its own. Inside, the loop
// over its points is as without copies.

// CHECK:         @own_L1 : memref<64xi8, "L1"> = uninitialized {hier.copies = 4 : i64
// CHECK-LABEL: func.func @own
// CHECK:         %[[ALL:.*]] = memref.get_global @own_L1
// CHECK:         scf.parallel
// CHECK:           %[[AT:.*]] = arith.muli %i
// CHECK-NEXT:      %[[OWN:.*]] = memref.view %[[ALL]][%[[AT]]][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
// CHECK:           scf.for %step
// CHECK:             %ta = memref.view %[[OWN]]
// CHECK:             %[[ROW:.*]] = arith.muli %i
// CHECK:             hier.dma_start %a[%[[ROW]], %{{.*}}] to %ta stages 1
// CHECK:           scf.reduce

// AHEAD-LABEL: func.func @own
// AHEAD:         scf.parallel
// AHEAD:           scf.for %step {{.*}} iter_args

// LOOPS-LABEL: func.func @own
// LOOPS-NOT:     scf.parallel
// LOOPS:         scf.for %i
// LOOPS:           scf.for %step
func.func @own(%a: memref<8x8xi8>, %c: memref<8x8xi8> {tilewright.output}) {
  hier.grid (%i, %j) in [4, 2] spatial [0]
      ins(%ta = %a[%i * 2, %j * 4] [2, 4] in "L1" address 0 : memref<8x8xi8>)
      outs(%tc = %c[%i * 2, %j * 4] [2, 4] in "L1" address 8 : memref<8x8xi8>) {
    memref.copy %ta, %tc : memref<2x4xi8, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// A level that the copies share, and one that they have, for a grid inside; two dimensions of which one is a single
// point. The buffer that stays is where it would be without copies.

// CHECK:         memref.global {{.*}}@shared_L1 : memref<144xi8, "L1">
// CHECK-NOT:     hier.copies = 6 : i64
// CHECK:         memref.global {{.*}}@shared_L2 : memref<96xi8, "L2">
// CHECK-LABEL: func.func @shared
// CHECK-DAG:     %[[L1:.*]] = memref.get_global @shared_L1
// CHECK-DAG:     %[[L2:.*]] = memref.get_global @shared_L2
// CHECK:         %kept = memref.view %[[L2]]{{.*}} to memref<4x12xi8, "L2">
// CHECK:         scf.parallel
// CHECK:           memref.view %[[L1]]{{.*}} to memref<24xi8, "L1">
// CHECK:           memref.view %[[L2]]{{.*}} to memref<56xi8, "L2">
// CHECK:           %[[PLACE:.*]] = arith.muli %j
// CHECK:           %tc = memref.subview %kept[%{{.*}}, %[[PLACE]]]
func.func @shared(%a: memref<4x12xi8>, %c: memref<4x12xi8> {tilewright.output}) {
  %kept = memref.alloc() {hier.address = 0 : i64} : memref<4x12xi8, "L2">
  hier.grid (%i, %j) in [1, 6] spatial [0, 1] strides {L1 = 24 : i64, L2 = 8 : i64}
      ins(%ta = %a[0, %j * 2] [4, 2] in "L2" address 48 : memref<4x12xi8>)
      outs(%tc = %kept[0, %j * 2] [4, 2] : memref<4x12xi8, "L2">) {
    hier.grid (%k) in [2]
        ins(%ua = %ta[%k * 2, 0] [2, 2] in "L1" address 0 stages 2 : memref<4x2xi8, "L2">)
        outs(%uc = %tc[%k * 2, 0] [2, 2] in "L1" address 16 : memref<4x2xi8, strided<[12, 1], offset: ?>, "L2">) {
      memref.copy %ua, %uc : memref<2x2xi8, "L1"> to memref<2x2xi8, "L1">
      hier.yield
    }
    hier.yield
  }
  hier.grid (%i) in [1]
      ins(%ta = %kept : memref<4x12xi8, "L2">)
      outs(%tc = %c in "L2" address 48 : memref<4x12xi8>) {
    memref.copy %ta, %tc : memref<4x12xi8, "L2"> to memref<4x12xi8, "L2">
    hier.yield
  }
  func.return
}
