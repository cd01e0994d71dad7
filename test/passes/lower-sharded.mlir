// RUN: opt-tool %s -p attach-machine{target=%S/../machines/mesh_4x4.toml},lower-sharded,verify-memory | filecheck %s

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
!all = memref<4x3x8xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 + 1)>>
!arrays = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 4 * 2 + d1 floordiv 2, d0 floordiv 2 mod 2)>>
!part = memref<8x4xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0 floordiv 2, d1)>>
!whole = memref<4x8x4xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d2)>>
!one = memref<4x1x8xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, 2)>>

// CHECK-LABEL: func.func @shifted
// CHECK: %ring = hier.stream depth 1 : !hier.stream<memref<8xi8, "NODE"> over [2, 2]>
// CHECK: %k = memref.alloca()
// CHECK: hier.program "scatter" on "array" over (%{{.*}}, %{{.*}}) in [2, 2] {
// CHECK: [[own:%.*]] = hier.local %k
// CHECK: hier.dma_start %x[%{{.*}}, %{{.*}}] to [[own]] : memref<8x4xi8>, memref<4x2xi8, "NODE">
// CHECK: hier.program "shift" on "array" over ([[h:%.*]], [[p:%.*]]) in [2, 2] {
// CHECK: [[next:%.*]] = arith.remui
// CHECK: hier.reserve %ring[[[h]], [[next]]]
// CHECK: hier.push %ring[[[h]], [[next]]]
// CHECK: hier.pop %ring[[[h]], [[p]]]
// CHECK: hier.release %ring[[[h]], [[p]]]
// CHECK: hier.program "gather" on "array"
// CHECK: hier.dma_start %y[%{{.*}}, %{{.*}}] from %{{.*}} : memref<8x4xi8>, memref<4x2xi8, "NODE">
// CHECK-NOT: memref.dealloc
func.func @shifted(%x: memref<8x4xi8>, %y: memref<8x4xi8> {tilewright.output}) {
  %k = memref.alloc() : !rows
  memref.copy %x, %k : memref<8x4xi8> to !rows
  hier.shift %k to %k along 1 by 1 : !rows
  memref.copy %k, %y : !rows to memref<8x4xi8>
  memref.dealloc %k : !rows
  func.return
}

// Each instance keeps a shard while it passes it on: one hop for each of the others.
// CHECK-LABEL: func.func @gathered
// CHECK: hier.program "all_gather" on "array" over ([[h:%.*]], [[p:%.*]]) in [4, 4] {
// CHECK: [[own:%.*]] = hier.local %part
// CHECK: [[all:%.*]] = memref.collapse_shape {{.*}} into memref<8x1xi8, "NODE">
// CHECK: hier.reserve %ring{{.*}}[{{.*}}, [[p]]]
// CHECK: [[sent:%.*]] = hier.dma_start [[own]]
// CHECK: [[kept:%.*]] = hier.dma_start [[all]][{{.*}}] from [[own]]
// CHECK: hier.dma_wait [[sent]]
// CHECK-NEXT: hier.push
// CHECK-NEXT: hier.dma_wait [[kept]]
// CHECK: scf.for
// CHECK: hier.pop
// CHECK: hier.reserve
// CHECK: hier.dma_start
// CHECK: hier.dma_start [[all]]
// CHECK: hier.push
// CHECK: hier.release
// CHECK: hier.pop
// CHECK-NOT: hier.reserve
// CHECK: hier.dma_start [[all]]
// CHECK: hier.release
func.func @gathered(%x: memref<8x4xi8>) {
  %part = memref.alloc() : !part
  %whole = memref.alloc() : !whole
  memref.copy %x, %part : memref<8x4xi8> to !part
  hier.all_gather %part to %whole along 0 axis 0 : !part, !whole
  func.return
}

// The holder sends to both sides.
// CHECK-LABEL: func.func @spread
// CHECK: %up = hier.stream depth 1 : !hier.stream<memref<1x1x8xi8, "NODE"> over [4, 4]>
// CHECK: %down = hier.stream depth 1
// CHECK: hier.program "broadcast" on "array" over (%{{.*}}, %{{.*}}) in [4, 3] from [0, 1] {
// CHECK: hier.push %up
// CHECK: hier.push %down
// CHECK: hier.pop %up
// CHECK: hier.pop %down
// CHECK: func.return
func.func @spread(%x: memref<4x1x8xi8>) {
  %one = memref.alloc() : !one
  %all = memref.alloc() : !all
  memref.copy %x, %one : memref<4x1x8xi8> to !one
  hier.broadcast %one to %all along 1 : !one, !all
  func.return
}

// A chain to the last instance, and back to the one that gets the result.
// CHECK-LABEL: func.func @reduced
// CHECK: hier.program "reduce" on "array" over (%{{.*}}, %{{.*}}) in [4, 3] from [0, 1] {
// CHECK: hier.push %sums
// CHECK: [[partial:%.*]] = hier.pop %sums
// CHECK-NEXT: linalg.max ins([[partial]], %{{.*}} : memref<1x1x8xi8, "NODE">, memref<1x1x8xi8, "NODE">)
// CHECK: hier.push %back
// CHECK: hier.pop %back
// CHECK: func.return
func.func @reduced(%x: memref<4x3x8xi8>) {
  %one = memref.alloc() : !one
  %all = memref.alloc() : !all
  memref.copy %x, %all : memref<4x3x8xi8> to !all
  hier.reduce max %all to %one along 1 : !all, !one
  func.return
}

// Rings of two of the four instances along coordinate 0: 0 and 1, 2 and 3.
// CHECK-LABEL: func.func @within
// CHECK: hier.program "shift" on "array" over ([[r:%.*]], [[c:%.*]]) in [4, 2] {
// CHECK: [[one:%.*]] = arith.addi [[r]], %{{.*}}
// CHECK: [[ahead:%.*]] = arith.remui [[one]]
// CHECK: [[group:%.*]] = arith.divui [[r]]
// CHECK: [[first:%.*]] = arith.muli [[group]]
// CHECK: [[next:%.*]] = arith.addi [[ahead]], [[first]]
// CHECK: hier.reserve %{{.*}}[[[next]], [[c]]]
func.func @within(%x: memref<8x4xi8>, %y: memref<8x4xi8> {tilewright.output}) {
  %k = memref.alloc() : !arrays
  memref.copy %x, %k : memref<8x4xi8> to !arrays
  hier.shift %k to %k along 0 by 1 within 2 : !arrays
  memref.copy %k, %y : !arrays to memref<8x4xi8>
  func.return
}
