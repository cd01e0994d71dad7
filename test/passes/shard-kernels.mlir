// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels,lower-sharded,allocate-sharded,verify-levels,verify-memory -o %t.mlir
// RUN: opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels | filecheck %s

// RUN: opt-tool %s -p attach-machine{target=pim},shard-kernels{over=2,4} | filecheck %s --check-prefix=PART
// PART: hier.program "matmul" on "array" over ({{.*}}) in [2, 4] {
// RUN: opt-tool %s -p attach-machine{target=pim/4x4},shard-kernels | filecheck %s --check-prefix=HEADS

// Rows over coordinate 1, columns over coordinate 0; the rows of the softmax go round the ring of coordinate 0.
// CHECK-LABEL: func.func @rows
// CHECK: [[sums:%.*]] = memref.alloc() : memref<32x24xf32, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d1 floordiv 12, d0 floordiv 16)>>
// CHECK: hier.program "matmul" on "array" over ([[c:%.*]], [[r:%.*]]) in [2, 2] {
// CHECK: hier.dma_start %x[{{.*}}] to [[x:%.*]] : memref<32x16xf32>, memref<16x16xf32, "NODE">
// CHECK: hier.dma_start %w[{{.*}}] to [[w:%.*]] : memref<16x24xf32>, memref<16x12xf32, "NODE">
// CHECK: nn.matmul ins([[x]], [[w]] : memref<16x16xf32, "NODE">, memref<16x12xf32, "NODE">) outs(%{{.*}} : memref<16x12xf32, "NODE">)
// CHECK-SAME: hier.values = {begin = affine_map<(d0, d1) -> ((d1 * 16), (d0 * 12), 0)>, reads = {{\[\[}}"arg0", affine_map<(d0, d1, d2) -> ((d2 + (d0 * 16)))>
// CHECK: [[all:%.*]] = memref.alloc() : memref<2x32x24xf32, #hier.sharded<"NODE" over [2, 2] (d0, d1, d2) -> (d0, d1 floordiv 16)>>
// CHECK: hier.all_gather [[sums]] to [[all]] along 0 axis 1 :
// CHECK: hier.program "softmax" on "array"
// CHECK: nn.softmax ins(%{{.*}} : memref<16x24xf32, "NODE">)
// CHECK: hier.program "gather" on "array"
// CHECK: scf.if
// CHECK: hier.dma_start %y[{{.*}}] from %{{.*}} : memref<32x24xf32>, memref<16x24xf32, "NODE">
func.func @rows(%x: memref<32x16xf32>, %w: memref<16x24xf32>, %y: memref<32x24xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<32x24xf32>
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%t : memref<32x24xf32>) {accumulator = f32}
  nn.softmax ins(%t : memref<32x24xf32>) outs(%y : memref<32x24xf32>) {accumulator = f32, element = f32}
  func.return
}

// A reshape of the columns to heads keeps each part where it is.
// CHECK-LABEL: func.func @heads
// CHECK: hier.program "matmul"
// CHECK-NOT: hier.all_gather
// CHECK: hier.program "transpose"
// CHECK: memref.expand_shape %{{.*}} output_shape [16, 1, 12]
// CHECK-NOT: hier.all_gather
// CHECK: hier.program "gather"
func.func @heads(%x: memref<32x16xf32>, %w: memref<16x24xf32>, %y: memref<2x32x12xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<32x24xf32>
  nn.matmul ins(%x, %w : memref<32x16xf32>, memref<16x24xf32>) outs(%t : memref<32x24xf32>) {accumulator = f32}
  %h = memref.expand_shape %t [[0], [1, 2]] output_shape [32, 2, 12] : memref<32x24xf32> into memref<32x2x12xf32>
  linalg.transpose ins(%h:memref<32x2x12xf32>) outs(%y:memref<2x32x12xf32>) permutation = [1, 0, 2]
  func.return
}

// Parts of a buffer are written to the far level.
// CHECK-LABEL: func.func @part
// CHECK: [[part:%.*]] = memref.subview %y[4, 0]
// CHECK: hier.program "exp"
// CHECK: hier.program "exp"
// CHECK: hier.dma_start [[part]][{{.*}}] from
func.func @part(%x: memref<4x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  %v = memref.subview %y[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  %f = memref.subview %y[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.exp ins(%x : memref<4x8xf32>) outs(%f : memref<4x8xf32, strided<[8, 1]>>)
  linalg.exp ins(%x : memref<4x8xf32>) outs(%v : memref<4x8xf32, strided<[8, 1], offset: 32>>)
  func.return
}

// A kernel that writes one column keeps the others.
// CHECK-LABEL: func.func @column
// CHECK: hier.program "fill"
// CHECK: hier.program "generic" on "array"
// CHECK: hier.dma_start %{{.*}} from %{{.*}} : memref<2x2xf32, "NODE">, memref<2x2xf32, "NODE">
// CHECK: linalg.generic
// CHECK: hier.program "gather"
func.func @column(%x: memref<4xf32>, %y: memref<4x2xf32> {tilewright.output}) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%y : memref<4x2xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// A buffer that the function returns is in the far level.
// CHECK-LABEL: func.func @returned
// CHECK: [[y:%.*]] = memref.alloc() : memref<8x8xf32>
// CHECK: hier.program "gather"
// CHECK: hier.dma_start [[y]][
// CHECK: func.return [[y]]
func.func @returned(%x: memref<8x8xf32>) -> memref<8x8xf32> {
  %y = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  func.return %y : memref<8x8xf32>
}

// Two heads do not divide among four nodes: the columns are gathered round the ring of their coordinate, not given back.
// HEADS-LABEL: func.func @few_heads
// HEADS: [[t:%.*]] = memref.alloc() : memref<4x24xf32,
// HEADS: hier.all_gather [[t]] to [[all:%.*]] along 1 axis 1 : memref<4x24xf32,
// HEADS-NOT: "gather"
// HEADS: hier.program "softmax"
func.func @few_heads(%x: memref<4x16xf32>, %w: memref<16x24xf32>, %y: memref<4x2x12xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<4x24xf32>
  nn.matmul ins(%x, %w : memref<4x16xf32>, memref<16x24xf32>) outs(%t : memref<4x24xf32>) {accumulator = f32}
  %heads = memref.expand_shape %t [[0 : i64], [1 : i64, 2 : i64]] output_shape [4, 2, 12] : memref<4x24xf32> into memref<4x2x12xf32>
  nn.softmax ins(%heads : memref<4x2x12xf32>) outs(%y : memref<4x2x12xf32>) {accumulator = f32, element = f32}
  func.return
}

// A kernel that uses a number which another op computes runs on the host: programs take buffers and indices.
// CHECK-LABEL: func.func @computed_number
// CHECK-NOT: hier.program
// CHECK: arith.addf [[v:%.*]], %number : f32
// CHECK: func.return
func.func @computed_number(%number: f32, %x: memref<8x8xf32>, %y: memref<8x8xf32> {tilewright.output}) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%v: f32, %old: f32):
    %sum = arith.addf %v, %number : f32
    linalg.yield %sum : f32
  }
  func.return
}
