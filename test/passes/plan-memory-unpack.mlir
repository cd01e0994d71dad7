// RUN: opt-tool %s --split-input-file -p "attach-machine{target=%S/../machines/little_far.toml},map-engines,plan-memory,verify-memory{plain=false}" | filecheck %s

// Weights that are unpacked fit neither the near level as a whole nor, unpacked, the far one: they are made tile by tile,
// where the kernel that needs them is done.

// CHECK-LABEL: func.func @tile_by_tile
// CHECK-NOT:   memref.alloc
// CHECK:       hier.grid
// CHECK:         outs(%{{.*}} : memref<4x64xi32>)
// CHECK-NEXT:    scratch(%{{.*}} : memref<{{[0-9]+}}x64xi8, "L1">
// CHECK:         nn.unpack
// CHECK-NEXT:    nn.matmul
func.func @tile_by_tile(%x: memref<4x64xi8>, %p: memref<64x32xi8>, %o: memref<4x64xi32> {tilewright.output}) {
  %w = memref.alloc() : memref<64x64xi8>
  nn.unpack ins(%p : memref<64x32xi8>) outs(%w : memref<64x64xi8>) {bits = 4 : i64}
  nn.matmul ins(%x, %w : memref<4x64xi8>, memref<64x64xi8>) outs(%o : memref<4x64xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// What is small stays in the near level.

// CHECK-LABEL: func.func @whole
// CHECK:       memref.alloc() {hier.address = {{[0-9]+}} : i64} : memref<8x64xi8, "L1">
func.func @whole(%x: memref<4x64xi8>, %p: memref<8x32xi8>, %o: memref<4x8xi32> {tilewright.output}) {
  %w = memref.alloc() : memref<8x64xi8>
  nn.unpack ins(%p : memref<8x32xi8>) outs(%w : memref<8x64xi8>) {bits = 4 : i64}
  nn.matmul ins(%x, %w : memref<4x64xi8>, memref<8x64xi8>) outs(%o : memref<4x8xi32>) {accumulator = i32, transpose_b}
  func.return
}

// -----

// Loops whose index no access divides may be cut, the others not.

// CHECK-LABEL: func.func @enlarged
// CHECK:       hier.grid (%[[I:.*]]) in [{{[0-9]+}}]
// CHECK-NEXT:    ins(%{{.*}} = %x[%[[I]] * {{[0-9]+}}, 0, 0] [{{[0-9]+}}, 4, 5]
// CHECK-NEXT:    outs(%{{.*}} = %y[%[[I]] * {{[0-9]+}}, 0, 0] [{{[0-9]+}}, 8, 10]
func.func @enlarged(%x: memref<40x4x5xi8>, %y: memref<40x8x10xi8> {tilewright.output}) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 floordiv 2, d2 floordiv 2)>,
      affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<40x4x5xi8>) outs(%y : memref<40x8x10xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}
