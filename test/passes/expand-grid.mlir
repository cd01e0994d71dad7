// RUN: opt-tool %s -p expand-grid | filecheck %s

// Each tile is fetched or written, and waited for at once; buffers take turns. What hangs over is filled.

// CHECK:         sym_name = "plain_L1", type = memref<24xi8, "L1">
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
// CHECK-NEXT:      "memref.copy"(%ta, %tc)
// CHECK-NEXT:      %[[OUT:.*]] = hier.dma_start %c[%[[FIRST]]] from %tc stages 1 clipped
// CHECK-NEXT:      hier.dma_wait %[[OUT]]
// CHECK-NEXT:    }
func.func @plain(%a: memref<20xi8>, %c: memref<20xi8>) {
  hier.grid [3] ins(%a : memref<20xi8>) outs(%c : memref<20xi8>)
      tiles [#hier.tile<[8] at affine_map<(d0) -> (d0 * 8)> in "L1" address 0 stages 2 fill 0 : i8>,
             #hier.tile<[8] at affine_map<(d0) -> (d0 * 8)> in "L1" address 16>] {
  ^bb0(%i: index, %ta: memref<8xi8, "L1">, %tc: memref<8xi8, "L1">):
    "memref.copy"(%ta, %tc) : (memref<8xi8, "L1">, memref<8xi8, "L1">) -> ()
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
// CHECK-NEXT:        "memref.copy"(%sum, %tc)
// CHECK-NEXT:      }
// CHECK:           scf.if
// CHECK-NEXT:        %[[OUT:.*]] = hier.dma_start %c[%{{.*}}] from %tc stages 2
// CHECK-NEXT:        hier.dma_wait %[[OUT]]
func.func @parts(%a: memref<2x6xi32>, %c: memref<2xi32>) {
  hier.grid [2, 1, 3] ins(%a : memref<2x6xi32>) outs(%c : memref<2xi32>)
      tiles [#hier.tile<[1, 2] at affine_map<(d0, d1, d2) -> (d0, d2 * 2)>>,
             #hier.tile<[1] at affine_map<(d0, d1, d2) -> (d0)> in "L1" address 0 stages 2>]
      scratch [#hier.scratch<memref<1xi32, "L1"> address 64>] attributes {engine = "cluster"} {
  ^bb0(%i: index, %j: index, %k: index, %ta: memref<1x2xi32, strided<[6, 1], offset: ?>>, %tc: memref<1xi32, "L1">,
       %sum: memref<1xi32, "L1">):
    %zero = arith.constant 0 : i32
    hier.first %j, %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1xi32, "L1">) }
    nn.reduce ins(%ta : memref<1x2xi32, strided<[6, 1], offset: ?>>) outs(%sum : memref<1xi32, "L1">)
        {kind = "sum", axes = array<i64: 1>, accumulator = i32, accumulate}
    hier.first %j { linalg.fill ins(%zero : i32) outs(%tc : memref<1xi32, "L1">) }
    hier.last %k { "memref.copy"(%sum, %tc) : (memref<1xi32, "L1">, memref<1xi32, "L1">) -> () }
    hier.yield
  }
  func.return
}

// A buffer that stays in the level is a view of its memory, which reaches as far as it does. The end of two dimensions
// is the end of both, also where one is that of a grid around.

// CHECK:         sym_name = "nested_L1", type = memref<24xi8, "L1">
// CHECK:         sym_name = "nested_L2", type = memref<8xi8, "L2">
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
  "memref.copy"(%a, %kept) : (memref<8xi8>, memref<8xi8, "L1">) -> ()
  hier.grid [2] ins(%kept : memref<8xi8, "L1">) outs(%c : memref<8xi8>)
      tiles [#hier.tile<[4] at affine_map<(d0) -> (d0 * 4)>>,
             #hier.tile<[4] at affine_map<(d0) -> (d0 * 4)> in "L2" address 0>] {
  ^bb0(%i: index, %ta: memref<4xi8, strided<[1], offset: ?>, "L1">, %tc: memref<4xi8, "L2">):
    hier.grid [2] ins(%ta : memref<4xi8, strided<[1], offset: ?>, "L1">) outs(%tc : memref<4xi8, "L2">)
        tiles [#hier.tile<[4] at affine_map<(d0) -> (0)>>,
               #hier.tile<[2] at affine_map<(d0) -> (d0 * 2)> in "L1" address 0>] {
    ^bb0(%j: index, %tta: memref<4xi8, strided<[1], offset: ?>, "L1">, %ttc: memref<2xi8, "L1">):
      %zero = arith.constant 0 : i8
      hier.last %i, %j { linalg.fill ins(%zero : i8) outs(%ttc : memref<2xi8, "L1">) }
      hier.yield
    }
    hier.yield
  }
  func.return
}

// A name that is taken is not taken again.

// CHECK:         sym_name = "taken_L1_0"
// CHECK-LABEL: func.func @taken
// CHECK:         memref.get_global @taken_L1_0
"memref.global"() <{sym_name = "taken_L1", type = memref<4xi8>, initial_value, sym_visibility = "private"}> : () -> ()
func.func @taken(%a: memref<8xi8>) {
  %kept = memref.alloc() {hier.address = 0 : i64} : memref<8xi8, "L1">
  "memref.copy"(%a, %kept) : (memref<8xi8>, memref<8xi8, "L1">) -> ()
  func.return
}
