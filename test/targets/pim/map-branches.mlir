// RUN: opt-tool %s -p attach-machine{target=pim/4x4},map-branches --split-input-file | filecheck %s

// Eight windows of two heads on 4 x 4 nodes, in sub-arrays of [2, 2]: four at a time, and two in each, one after another.
// CHECK: nn.softmax
// CHECK-SAME: hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>]}
// CHECK: nn.matmul ins
// CHECK-SAME: hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>], hier.spatial = array<i64: 0, 1, 0, 2>}
// CHECK: nn.softmax
// CHECK-SAME: hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>]}
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 2, 2>, branches = 4 : i64}, {scheme = array<i64: 2, 2>, branches = 4 : i64}],
    places = array<i64: 0, 0, 0, 1, 0, 0, 0, 0, 2, 1, 0, 2, 0, 2, 0, 1, 2, 0, 0, 2, 2, 1, 2, 2>}]
} {
  func.func @network(%x: memref<8x2x4x8xf32>, %k: memref<8x2x4x8xf32>, %y: memref<8x2x4x4xf32> {tilewright.output}) {
    %q = memref.alloc() : memref<8x2x4x8xf32>
    nn.softmax ins(%x : memref<8x2x4x8xf32>) outs(%q : memref<8x2x4x8xf32>) {accumulator = f32, element = f32}
    %s = memref.alloc() : memref<8x2x4x4xf32>
    nn.matmul ins(%q, %k : memref<8x2x4x8xf32>, memref<8x2x4x8xf32>) outs(%s : memref<8x2x4x4xf32>)
        {accumulator = f32, transpose_b, pim.block = 0 : i64, pim.branch_dims = array<i64: 0>, pim.head_dims = array<i64: 1>, pim.query_dims = array<i64: 2>}
    nn.softmax ins(%s : memref<8x2x4x4xf32>) outs(%y : memref<8x2x4x4xf32>) {accumulator = f32, element = f32}
    func.return
  }
}

// -----

// Attention of one branch between blocks of four windows: its rows of queries are over the sub-arrays of the windows.
// CHECK: nn.matmul ins
// CHECK-SAME: hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>], hier.spatial = array<i64: 2, 1, 2, 2>}
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 2, 2>, branches = 4 : i64}],
    places = array<i64: 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 2>}]
} {
  func.func @network(%q: memref<1x2x16x8xf32>, %k: memref<1x2x4x8xf32>, %s: memref<1x2x16x4xf32> {tilewright.output}) {
    nn.matmul ins(%q, %k : memref<1x2x16x8xf32>, memref<1x2x4x8xf32>) outs(%s : memref<1x2x16x4xf32>)
        {accumulator = f32, transpose_b, pim.block = 0 : i64, pim.branch_dims = array<i64>, pim.head_dims = array<i64: 1>, pim.query_dims = array<i64: 2>}
    func.return
  }
}

// -----

// A block that find-branches refused, and the kernels before it, keep the default mapping; those of the next block do not.
// CHECK-LABEL: @refused
// CHECK: nn.softmax
// CHECK-NOT: hier.sub_arrays
// CHECK: pim.refused = 0 : i64}
// CHECK: nn.softmax
// CHECK-SAME: hier.sub_arrays = [array<i64: 4, 1>, array<i64: 4, 1>]}
// CHECK: hier.spatial = array<i64: 0, -1, 0, -1>
module attributes {
  pim.blocks = [{stage = 0 : i64}],
  pim.refused = [{reason = "branches of a block are unequal"}],
  pim.schedule = [{stage = "1", layers = [{scheme = array<i64: 1, 1>, branches = 16 : i64}],
    places = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 3,
                        0, 2, 0, 0, 2, 1, 0, 2, 2, 0, 2, 3, 0, 3, 0, 0, 3, 1, 0, 3, 2, 0, 3, 3>}]
} {
  func.func @refused(%x: memref<16x2x4x8xf32>, %k: memref<16x2x4x8xf32>, %y: memref<16x2x4x4xf32> {tilewright.output}) {
    %q = memref.alloc() : memref<16x2x4x8xf32>
    nn.softmax ins(%x : memref<16x2x4x8xf32>) outs(%q : memref<16x2x4x8xf32>) {accumulator = f32, element = f32}
    %s = memref.alloc() : memref<16x2x4x4xf32>
    nn.matmul ins(%q, %k : memref<16x2x4x8xf32>, memref<16x2x4x8xf32>) outs(%s : memref<16x2x4x4xf32>)
        {accumulator = f32, transpose_b, pim.refused = 0 : i64}
    %t = memref.alloc() : memref<16x2x4x8xf32>
    nn.softmax ins(%x : memref<16x2x4x8xf32>) outs(%t : memref<16x2x4x8xf32>) {accumulator = f32, element = f32}
    nn.matmul ins(%t, %k : memref<16x2x4x8xf32>, memref<16x2x4x8xf32>) outs(%y : memref<16x2x4x4xf32>)
        {accumulator = f32, transpose_b, pim.block = 0 : i64, pim.branch_dims = array<i64: 0>, pim.head_dims = array<i64: 1>, pim.query_dims = array<i64: 2>}
    func.return
  }
}
