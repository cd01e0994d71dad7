// RUN: opt-tool %s -p attach-machine{target=pim/4x4},shard-kernels | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=pim/4x4},shard-kernels,lower-sharded,allocate-sharded,fuse-programs,verify-levels,verify-memory,verify-link-loads -o %t.mlir

// Two by two sub-arrays of two by two nodes each: loop 0 over the sub-arrays, loop 1 over the columns of each, loop 2
// over the rows. The rows of the right operand go round the ring of two columns; that of the left round two rows.
// CHECK-LABEL: func.func @sub_arrays
// The product before is split as its result is needed.
// CHECK: [[t:%.*]] = memref.alloc() : memref<2x8x4x8xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2, d3) -> (d1 floordiv 4 * 2 + d0, d1 floordiv 2 mod 2 * 2 + d2 floordiv 2)>>
// CHECK: hier.program "softmax"
// CHECK: hier.values = {begin = affine_map<(d0, d1) -> ({{.*}}d0 floordiv 2{{.*}}d1 floordiv 2{{.*}}, {{.*}}d1 mod 2{{.*}}, 0)>
// CHECK: [[y:%.*]] = memref.alloc() : memref<8x4x6xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0 floordiv 4 * 2 + d2 floordiv 3, d0 floordiv 2 mod 2 * 2 + d1 floordiv 2)>>
// CHECK: hier.program "matmul"
// CHECK: nn.matmul ins(%{{.*}} : memref<2x2x8xf32, "NODE">, memref<2x8x3xf32, "NODE">) outs(%{{.*}} : memref<2x2x3xf32, "NODE">)
// Other sub-arrays: the value is given back to the far level, and loaded again.
// CHECK: hier.program "gather" on "array" over (%{{.*}}, %{{.*}}) in [4, 4]
// CHECK: hier.program "softmax" on "array" over (%{{.*}}, %{{.*}}) in [2, 4]
func.func @sub_arrays(%x: memref<8x4x8xf32>, %w: memref<8x8x6xf32>, %z: memref<8x4x6xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<8x4x8xf32>
  nn.softmax ins(%x : memref<8x4x8xf32>) outs(%t : memref<8x4x8xf32>) {accumulator = f32, element = f32, hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>]}
  %y = memref.alloc() : memref<8x4x6xf32>
  nn.matmul ins(%t, %w : memref<8x4x8xf32>, memref<8x8x6xf32>) outs(%y : memref<8x4x6xf32>)
      {accumulator = f32, hier.sub_arrays = [array<i64: 2, 2>, array<i64: 2, 2>], hier.spatial = array<i64: 0, 2, 0, 1>}
  nn.softmax ins(%y : memref<8x4x6xf32>) outs(%z : memref<8x4x6xf32>)
      {accumulator = f32, element = f32, hier.sub_arrays = [array<i64: 2>, array<i64: 2, 2>], hier.spatial = array<i64: 0, 0, 1>}
  func.return
}

// A value that is split over two coordinates along one axis is gathered along the last one first.
// CHECK-LABEL: func.func @gathered
// CHECK: hier.all_gather {{.*}} along 1 axis 0 : memref<32x8xf32
// CHECK: hier.all_gather {{.*}} along 0 axis 1 : memref<4x32x8xf32
func.func @gathered(%x: memref<32x8xf32>, %y: memref<32x8xf32>, %z: memref<32x32xf32> {tilewright.output}) {
  %t = memref.alloc() : memref<32x8xf32>
  nn.softmax ins(%x : memref<32x8xf32>) outs(%t : memref<32x8xf32>) {accumulator = f32, element = f32, hier.sub_arrays = [array<i64: 4>, array<i64: 4>], hier.spatial = array<i64: 0, 0>}
  nn.matmul ins(%y, %t : memref<32x8xf32>, memref<32x8xf32>) outs(%z : memref<32x32xf32>)
      {accumulator = f32, transpose_b, hier.sub_arrays = [array<i64: 4>, array<i64: 4>], hier.spatial = array<i64: 0, 0>}
  func.return
}

// Weights of all sub-arrays are loaded once, and go round the ring of the sub-arrays: a coordinate of one takes no axis.
// CHECK-LABEL: func.func @shared
// CHECK: memref<1x1x8x16xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2, d3) -> (d0 * 4 + d3 floordiv 4, d2 floordiv 2 + d1)>>
// CHECK: hier.program "load"
// CHECK: hier.all_gather {{.*}} along 1 axis 2 :
// CHECK: hier.program "matmul"
func.func @shared(%x: memref<4x8x8xf32>, %w: memref<8x16xf32>, %y: memref<4x8x16xf32> {tilewright.output}) {
  nn.matmul ins(%x, %w : memref<4x8x8xf32>, memref<8x16xf32>) outs(%y : memref<4x8x16xf32>)
      {accumulator = f32, hier.sub_arrays = [array<i64: 1, 4>, array<i64: 4, 1>], hier.spatial = array<i64: 0, 2, 0, 1>}
  func.return
}
