// RUN: opt-tool %s -p normalize-memrefs | filecheck %s

// A buffer in blocks of 4 columns: its physical shape, mapped indices, and a view of one block by its first element.
// CHECK-LABEL: func.func private @take(%p: memref<2x4x4xi8, "SPAD">, %i: index) -> i8 {
func.func private @take(%p: memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, "SPAD">, %i: index) -> i8 {
  // CHECK: %[[BLOCK:.*]] = arith.floordivsi %i, %{{.*}} : index
  // CHECK: %{{.*}} = memref.load %p[%[[BLOCK]], %i, %{{.*}}] : memref<2x4x4xi8, "SPAD">
  %v = memref.load %p[%i, %i] : memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, "SPAD">
  func.return %v : i8
}

// CHECK-LABEL: func.func @network
func.func @network(%memory: memref<64xi8, "SPAD">, %i: index) -> i8 {
  %start = arith.constant 32 : index
  // CHECK: %[[VIEW:.*]] = memref.view %memory[%{{.*}}][] : memref<64xi8, "SPAD"> to memref<2x4x4xi8, "SPAD">
  %p = hier.view %memory[%start] : memref<64xi8, "SPAD"> to memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, "SPAD">
  // CHECK: memref.reinterpret_cast %[[VIEW]] to offset: [%{{.*}}], sizes: [4, 4], strides: [4, 1] : memref<2x4x4xi8, "SPAD"> to memref<4x4xi8, strided<[4, 1], offset: ?>, "SPAD">
  %b = memref.subview %p[0, %start] [4, 4] [1, 1] : memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, "SPAD"> to memref<4x4xi8, strided<[4, 1], offset: ?>, "SPAD">
  // CHECK: memref.load %{{.*}}[%i, %i] : memref<4x4xi8, strided<[4, 1], offset: ?>, "SPAD">
  %w = memref.load %b[%i, %i] : memref<4x4xi8, strided<[4, 1], offset: ?>, "SPAD">
  // CHECK: func.call @take(%[[VIEW]], %i) : (memref<2x4x4xi8, "SPAD">, index) -> i8
  %v = func.call @take(%p, %i) : (memref<4x8xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, "SPAD">, index) -> i8
  func.return %v : i8
}
