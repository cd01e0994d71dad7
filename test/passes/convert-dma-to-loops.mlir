// RUN: opt-tool %s -p convert-dma-to-loops | filecheck %s
// RUN: opt-tool %s -p convert-dma-to-loops --interpret-each

// A transfer is the call of a function that copies each element, into near memory and back; waits and tokens are gone.

// CHECK:       func.func private @[[IN:read_tile_0]](%far: memref<4x8xi8>, %near: memref<2x8xi8, "L1">
// CHECK-COUNT-2: scf.for
// CHECK:           %[[V:.*]] = memref.load %far
// CHECK-NEXT:      memref.store %[[V]], %near
// CHECK:       func.func private @[[OUT:write_tile_1]]
// CHECK-COUNT-2: scf.for
// CHECK:           %[[W:.*]] = memref.load %near
// CHECK-NEXT:      memref.store %[[W]], %far
// CHECK-LABEL: func.func @network
// CHECK:         func.call @[[IN]](%x, %m, %c2, %c0)
// CHECK-NEXT:    func.call @[[OUT]](%y, %m, %c0, %c0)
// CHECK-NEXT:    func.return
func.func @network(%x: memref<4x8xi8>, %y: memref<2x8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<2x8xi8, "L1">
  %t = hier.dma_start %x[%c2, %c0] to %m : memref<4x8xi8>, memref<2x8xi8, "L1">
  hier.dma_wait %t
  %u = hier.dma_start %y[%c0, %c0] from %m : memref<2x8xi8>, memref<2x8xi8, "L1">
  hier.dma_wait %u
  func.return
}

// A launched kernel runs where it is launched.

// CHECK-LABEL: func.func @launched
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: memref.copy
// CHECK-NEXT: func.return
func.func @launched(%zero: i8, %a: memref<8xi8>, %b: memref<8xi8>, %c: memref<8xi8>) {
  %job = hier.launch {
    linalg.fill ins(%zero : i8) outs(%a : memref<8xi8>)
  }
  memref.copy %b, %c : memref<8xi8> to memref<8xi8>
  hier.join %job
  func.return
}

// Of a clipped tile only the ends that may be out of bounds are clipped and filled: here the last rows, as tiles begin at
// or behind the first one and span whole rows. All tiles of an operand share a function.

// CHECK:       func.func private @[[CLIPPED:read_tile_[0-9]+]]
// CHECK-NOT:     arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK:         arith.minsi
// CHECK-NOT:     arith.minsi
// CHECK:         scf.if
// CHECK-COUNT-2:   scf.for
// CHECK:           memref.store
// CHECK-NOT:       memref.store
// CHECK:         memref.load %far
// CHECK:       func.func private @[[SHIFTED:read_tile_[0-9]+]]
// CHECK-COUNT-2: arith.minsi
// CHECK-LABEL: func.func @tiles
// CHECK-COUNT-2: func.call @[[CLIPPED]]
// CHECK:         func.call @[[SHIFTED]]
func.func @tiles(%x: memref<5x8xi8>, %y: memref<5x8xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloc() : memref<2x8xi8, "L1">
  %first = hier.dma_start %x[%c0, %c0] to %m clipped fill 0 : i8 : memref<5x8xi8>, memref<2x8xi8, "L1">
  hier.dma_wait %first
  scf.for %i = %c0 to %c3 step %c1 {
    %at = arith.muli %i, %c2 : index
    %t = hier.dma_start %x[%at, %c0] to %m clipped fill 0 : i8 : memref<5x8xi8>, memref<2x8xi8, "L1">
    hier.dma_wait %t
    %u = hier.dma_start %y[%at, %c0] from %m clipped : memref<5x8xi8>, memref<2x8xi8, "L1">
    hier.dma_wait %u
  }
  %v = hier.dma_start %x[%c0, %c1] to %m clipped fill 0 : i8 : memref<5x8xi8>, memref<2x8xi8, "L1">
  hier.dma_wait %v
  %w = hier.dma_start %y[%c0, %c0] from %m clipped : memref<5x8xi8>, memref<2x8xi8, "L1">
  hier.dma_wait %w
  func.return
}

// A tile that may be clipped, and never is, is copied as it is.

// CHECK:       func.func private @{{.*}}(%far: memref<4x2xi8>, %near: memref<4x2xi8, "L1">
// CHECK-NOT:     scf.if
// CHECK-LABEL: func.func @never
func.func @never(%x: memref<4x2xi8>, %y: memref<4x2xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<4x2xi8, "L1">
  %t = hier.dma_start %x[%c0, %c0] to %m clipped fill 0 : i8 : memref<4x2xi8>, memref<4x2xi8, "L1">
  hier.dma_wait %t
  memref.copy %m, %y : memref<4x2xi8, "L1"> to memref<4x2xi8>
  func.return
}

// A body may look up the index of an element in the far buffer: the second tile's columns begin at 2.

// CHECK:       func.func private @write_tile_{{.*}}(%far: memref<4x4xi8>, %near: memref<4x2xi32, "ACC">, %{{.*}}: index, %[[COLUMN:.*]]: index) {
// CHECK:         %[[AT:.*]] = arith.addi %[[COLUMN]], %{{.*}} : index
// CHECK:         %[[FACTOR:.*]] = quant.entry %[[AT]] {table = dense<[1.000000e+00, 5.000000e-01, 2.000000e+00, 2.500000e-01]> : tensor<4xf32>} : f32
// CHECK:         arith.mulf %{{.*}}, %[[FACTOR]] : f32
func.func @channels(%x: memref<4x2xi32>, %y: memref<4x4xi8> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<4x2xi32, "ACC">
  %t = hier.dma_start %x[%c0, %c0] to %m : memref<4x2xi32>, memref<4x2xi32, "ACC">
  hier.dma_wait %t
  %u = hier.dma_start %y[%c0, %c0] from %m : memref<4x4xi8>, memref<4x2xi32, "ACC"> (%v: i32, %row: index, %column: index) {
    %f = quant.entry %column {table = dense<[1.0, 0.5, 2.0, 0.25]> : tensor<4xf32>} : f32
    %w = quant.rescale %v, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    hier.yield %w : i8
  }
  hier.dma_wait %u
  %s = hier.dma_start %y[%c0, %c2] from %m : memref<4x4xi8>, memref<4x2xi32, "ACC"> (%v: i32, %row: index, %column: index) {
    %f = quant.entry %column {table = dense<[1.0, 0.5, 2.0, 0.25]> : tensor<4xf32>} : f32
    %w = quant.rescale %v, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    hier.yield %w : i8
  }
  hier.dma_wait %s
  func.return
}
