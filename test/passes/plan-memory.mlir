// RUN: opt-tool %s --split-input-file -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=2048 time-budget=0},verify-memory" | filecheck %s

// What lies between two kernels stays in the near level; both use it where it lies.

// CHECK-LABEL: func.func @kept
// CHECK-SAME: hier.modelled_cycles = [[CYCLES:[0-9]+]] : i64, hier.cycles_bound
// CHECK: %[[T:.*]] = memref.alloc() {hier.address = [[AT:[0-9]+]] : i64} : memref<8x32xi8, "L1">
// CHECK: hier.grid
// CHECK: outs(%{{.*}} = %[[T]]{{.*}} : memref<8x32xi8, "L1">)
// CHECK: hier.grid
// CHECK-NEXT: ins(%{{.*}} = %[[T]]{{.*}} : memref<8x32xi8, "L1">,
// CHECK-NEXT: : memref<32x16xi8>)
// CHECK-NOT: nn.matmul {{.*}}memref<8x32xi8>
func.func @kept(%a: memref<8x16xi8>, %b: memref<16x32xi8>, %c: memref<32x16xi8>, %o: memref<8x16xi32>) {
  %t = memref.alloc() : memref<8x32xi8>
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x32xi8>) outs(%t : memref<8x32xi8>) {accumulator = i8}
  nn.matmul ins(%t, %c : memref<8x32xi8>, memref<32x16xi8>) outs(%o : memref<8x16xi32>) {accumulator = i32}
  func.return
}

// -----

// A row of the reduction alone is larger than the near level: it is cut, and adds up from point to point.

// CHECK-LABEL: func.func @cut_reduction
// CHECK: hier.grid
// CHECK: hier.first %[[K:.*]] {
// CHECK: linalg.fill
// CHECK: nn.matmul
// CHECK-SAME: accumulate
func.func @cut_reduction(%a: memref<1x4096xi8>, %b: memref<4096x1xi8>, %o: memref<1x1xi32>) {
  nn.matmul ins(%a, %b : memref<1x4096xi8>, memref<4096x1xi8>) outs(%o : memref<1x1xi32>) {accumulator = i32}
  func.return
}

// -----

// An intermediate that does not fit is made tile by tile, and never leaves.

// CHECK-LABEL: func.func @fused
// CHECK-NOT: memref.alloc
// CHECK: hier.grid
// CHECK: scratch(%[[S:.*]] : memref<[[TILE:[0-9x]+]]xi8, "L1"> address {{[0-9]+}})
// CHECK: nn.matmul
// CHECK-SAME: outs(%[[S]] : memref<[[TILE]]xi8, "L1">)
// CHECK: nn.matmul ins(%[[S]],
func.func @fused(%a: memref<512x1xi8>, %b: memref<1x64xi8>, %c: memref<64x1xi8>, %o: memref<512x1xi8>) {
  %t = memref.alloc() : memref<512x64xi8>
  nn.matmul ins(%a, %b : memref<512x1xi8>, memref<1x64xi8>) outs(%t : memref<512x64xi8>) {accumulator = i8}
  nn.matmul ins(%t, %c : memref<512x64xi8>, memref<64x1xi8>) outs(%o : memref<512x1xi8>) {accumulator = i8}
  func.return
}

// -----

// Hints pin the extents of a tile, its stages, and where a buffer lies.

// CHECK-LABEL: func.func @hinted
// CHECK: memref.alloc() {hier.keep = false} : memref<8x32xi8>
// CHECK: hier.grid (%[[I:.*]]) in [4]
// CHECK-NEXT: ins(%{{.*}} = %a[%[[I]] * 2, 0] [2, 16] in "L1" address 0 : memref<8x16xi8>,
func.func @hinted(%a: memref<8x16xi8>, %b: memref<16x32xi8>, %c: memref<32x16xi8>, %o: memref<8x16xi32>) {
  %t = memref.alloc() {hier.keep = false} : memref<8x32xi8>
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x32xi8>) outs(%t : memref<8x32xi8>)
    {accumulator = i8, hier.sizes = array<i64: 2, 32, 16>, hier.stages = 1 : i64}
  nn.matmul ins(%t, %c : memref<8x32xi8>, memref<32x16xi8>) outs(%o : memref<8x16xi32>) {accumulator = i32}
  func.return
}

// -----

// A constant in a map is where the tile begins: the kernel on the tile begins at 0.

// CHECK-LABEL: func.func @shifted
// CHECK:       hier.grid (%[[I:.*]], %[[J:.*]]) in
// CHECK-NEXT:      ins(%{{.*}} = %x[%[[I]] * {{[0-9]+}}, 1, %[[J]] * {{[0-9]+}} + 2] [{{[0-9]+}}, 1, {{[0-9]+}}]
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
func.func @shifted(%x: memref<640x3x32xi8>, %y: memref<640x30xi8> {tilewright.output}) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 1, d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<640x3x32xi8>) outs(%y : memref<640x30xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// -----

// What is made and read in parts stays, too; its parts are used where they lie.

// CHECK-LABEL: func.func @kept_in_parts
// CHECK: %[[T:.*]] = memref.alloc() {hier.address = {{[0-9]+}} : i64} : memref<8x32xi8, "L1">
// CHECK: %[[P:.*]] = memref.subview %[[T]]
// CHECK: hier.grid
// CHECK: outs(%{{.*}} = %[[P]]{{.*}} : memref<4x32xi8, strided<[32, 1]>, "L1">)
// CHECK: %[[Q:.*]] = memref.subview %[[T]]
// CHECK: hier.grid
// CHECK: outs(%{{.*}} = %[[Q]]{{.*}} : memref<4x32xi8, strided<[32, 1], offset: 128>, "L1">)
// CHECK: hier.grid
// CHECK-NEXT: ins(%{{.*}} = %[[T]]{{.*}} : memref<8x32xi8, "L1">
func.func @kept_in_parts(%a: memref<4x16xi8>, %b: memref<16x32xi8>, %c: memref<32x16xi8>, %o: memref<8x16xi32>) {
  %t = memref.alloc() : memref<8x32xi8>
  %p = memref.subview %t[0, 0] [4, 32] [1, 1] : memref<8x32xi8> to memref<4x32xi8, strided<[32, 1]>>
  nn.matmul ins(%a, %b : memref<4x16xi8>, memref<16x32xi8>) outs(%p : memref<4x32xi8, strided<[32, 1]>>) {accumulator = i8}
  %q = memref.subview %t[4, 0] [4, 32] [1, 1] : memref<8x32xi8> to memref<4x32xi8, strided<[32, 1], offset: 128>>
  nn.matmul ins(%a, %b : memref<4x16xi8>, memref<16x32xi8>)
    outs(%q : memref<4x32xi8, strided<[32, 1], offset: 128>>) {accumulator = i8}
  nn.matmul ins(%t, %c : memref<8x32xi8>, memref<32x16xi8>) outs(%o : memref<8x16xi32>) {accumulator = i32}
  func.return
}
