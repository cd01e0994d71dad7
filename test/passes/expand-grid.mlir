// RUN: opt-tool %s -p expand-grid | filecheck %s

// Each tile is fetched or written, and waited for at once; buffers take turns. What hangs over is filled.

// CHECK:         memref.global {{.*}}@plain_L1 : memref<24xi8, "L1">
// CHECK-LABEL: func.func @plain
// CHECK:         %[[L1:.*]] = memref.get_global @plain_L1
// CHECK:         %[[TWO:.*]] = arith.constant 3 : index
// CHECK:         scf.for %step = %{{.*}} to %[[TWO]]
// CHECK:           %[[TURN:.*]] = arith.remui %step
// CHECK:           %[[AT:.*]] = arith.muli %[[TURN]]
// CHECK-NEXT:      %ta = memref.view %[[L1]][%[[AT]]][]
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %step
// CHECK-NEXT:      %[[IN:.*]] = hier.dma_start %a[%[[FIRST]]] to %ta stages 2 clipped fill 0 : i8
// CHECK-NEXT:      hier.dma_wait %[[IN]]
// CHECK:           %tc = memref.view %[[L1]]
// CHECK-NEXT:      memref.copy %ta, %tc
// CHECK-NEXT:      %[[OUT:.*]] = hier.dma_start %c[%[[FIRST]]] from %tc stages 1 clipped
// CHECK-NEXT:      hier.dma_wait %[[OUT]]
// CHECK-NEXT:    }
func.func @plain(%a: memref<20xi8>, %c: memref<20xi8>) {
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 8] [8] in "L1" address 0 stages 2 fill 0 : i8 : memref<20xi8>)
      outs(%tc = %c[%i * 8] [8] in "L1" address 16 : memref<20xi8>) {
    memref.copy %ta, %tc : memref<8xi8, "L1"> to memref<8xi8, "L1">
    hier.yield
  }
  func.return
}

// A reduction in parts: scratch is a view of the level, a tile without a level one of its operand. The ends of a
// dimension are conditions, but for one that has a single point. Kernels run on the grid's engine.

// CHECK-LABEL: func.func @parts
// CHECK:         %[[AT:.*]] = arith.constant 64 : index
// CHECK-NEXT:    %sum = memref.view %{{.*}}[%[[AT]]][]
// CHECK:         scf.for
// CHECK:           %ta = memref.subview %a[%{{.*}}, %{{.*}}] [1, 2] [1, 1] : memref<2x6xi32> to memref<1x2xi32, strided<[6, 1], offset: ?>>
// CHECK-NOT:       dma_start %a
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %k
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        linalg.fill {engine = "cluster"} ins(%zero : i32) outs(%sum
// CHECK-NEXT:      }
// CHECK-NEXT:      nn.reduce ins(%ta {{.*}} outs(%sum {{.*}} engine = "cluster"
// CHECK-NEXT:      linalg.fill {{.*}} outs(%tc
// CHECK:           %[[LAST:.*]] = arith.cmpi eq, %k
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK-NEXT:        memref.copy %sum, %tc
// CHECK-NEXT:      }
// CHECK:           scf.if
// CHECK-NEXT:        %[[OUT:.*]] = hier.dma_start %c[%{{.*}}] from %tc stages 2
// CHECK-NEXT:        hier.dma_wait %[[OUT]]
func.func @parts(%a: memref<2x6xi32>, %c: memref<2xi32>) {
  hier.grid (%i, %j, %k) in [2, 1, 3]
      ins(%ta = %a[%i, %k * 2] [1, 2] : memref<2x6xi32>)
      outs(%tc = %c[%i] [1] in "L1" address 0 stages 2 : memref<2xi32>)
      scratch(%sum : memref<1xi32, "L1"> address 64)
      attributes {engine = "cluster"} {
    %zero = arith.constant 0 : i32
    hier.first %j, %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1xi32, "L1">) }
    nn.reduce ins(%ta : memref<1x2xi32, strided<[6, 1], offset: ?>>) outs(%sum : memref<1xi32, "L1">)
        {kind = "sum", axes = array<i64: 1>, accumulator = i32, accumulate}
    hier.first %j { linalg.fill ins(%zero : i32) outs(%tc : memref<1xi32, "L1">) }
    hier.last %k { memref.copy %sum, %tc : memref<1xi32, "L1"> to memref<1xi32, "L1"> }
    hier.yield
  }
  func.return
}

// A buffer that stays in the level is a view of its memory, which reaches as far as it does. The end of two dimensions
// is the end of both, also where one is that of a grid around.

// CHECK:         memref.global {{.*}}@nested_L1 : memref<24xi8, "L1">
// CHECK:         memref.global {{.*}}@nested_L2 : memref<8xi8, "L2">
// CHECK-LABEL: func.func @nested
// CHECK-NOT:     memref.alloc
// CHECK:         %kept = memref.view %{{.*}}[%{{.*}}][] : memref<24xi8, "L1"> to memref<8xi8, "L1">
// CHECK:         scf.for %step =
// CHECK:           memref.subview %kept
// CHECK:           scf.for %[[INNER:.*]] =
// CHECK:             %[[A:.*]] = arith.cmpi eq, %step
// CHECK:             %[[B:.*]] = arith.cmpi eq, %[[INNER]]
// CHECK:             %[[BOTH:.*]] = arith.andi %[[A]], %[[B]]
// CHECK:             scf.if %[[BOTH]] {
// CHECK-NEXT:          linalg.fill
// CHECK:             hier.dma_start %tc[%{{.*}}] from %ttc stages 1 : memref<4xi8, "L2">, memref<2xi8, "L1">
// CHECK:           }
// CHECK:           hier.dma_start %c[%{{.*}}] from %tc stages 1
func.func @nested(%a: memref<8xi8>, %c: memref<8xi8>) {
  %kept = memref.alloc() {hier.address = 16 : i64} : memref<8xi8, "L1">
  memref.copy %a, %kept : memref<8xi8> to memref<8xi8, "L1">
  hier.grid (%i) in [2]
      ins(%ta = %kept[%i * 4] [4] : memref<8xi8, "L1">)
      outs(%tc = %c[%i * 4] [4] in "L2" address 0 : memref<8xi8>) {
    hier.grid (%j) in [2]
        ins(%tta = %ta : memref<4xi8, strided<[1], offset: ?>, "L1">)
        outs(%ttc = %tc[%j * 2] [2] in "L1" address 0 : memref<4xi8, "L2">) {
      %zero = arith.constant 0 : i8
      hier.last %i, %j { linalg.fill ins(%zero : i8) outs(%ttc : memref<2xi8, "L1">) }
      hier.yield
    }
    hier.yield
  }
  func.return
}

// A name that is taken is not taken again.

// CHECK:         memref.global {{.*}}@taken_L1_0 : 
// CHECK-LABEL: func.func @taken
// CHECK:         memref.get_global @taken_L1_0
memref.global "private" @taken_L1 : memref<4xi8> = uninitialized
func.func @taken(%a: memref<8xi8>) {
  %kept = memref.alloc() {hier.address = 0 : i64} : memref<8xi8, "L1">
  memref.copy %a, %kept : memref<8xi8> to memref<8xi8, "L1">
  func.return
}
