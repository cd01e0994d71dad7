// RUN: opt-tool %s -p convert-kernels-to-dots | filecheck %s

// Products of bytes run over blocks of 2 rows and 4 features; other kernels stay.
// CHECK-LABEL: func.func @products
// CHECK: cluster.dot
// CHECK: memref.load %{{.*}}[%p_1, %{{.*}}] : memref<2x4xi32>
// CHECK-NOT: nn.matmul
// CHECK: linalg.generic
func.func @products(%x: memref<4x16xi8>, %w: memref<8x16xi8>, %s: memref<4x8xi32>, %out: memref<4x8xi32>) {
  nn.matmul ins(%x, %w : memref<4x16xi8>, memref<8x16xi8>) outs(%s : memref<4x8xi32>) {accumulator = i32, transpose_b}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<4x8xi32>) outs(%out : memref<4x8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %a : i32
    linalg.yield %r : i32
  }
  func.return
}

// A longer epilogue has the rows of a block unrolled, so that the places of their sums are constants.
// CHECK-LABEL: func.func @long
// CHECK: cluster.dot
// CHECK: memref.load %{{.*}}[%c0, %{{.*}}] : memref<2x4xi32>
// CHECK: memref.load %{{.*}}[%c1, %{{.*}}] : memref<2x4xi32>
func.func @long(%x: memref<4x16xi8>, %w: memref<8x16xi8>, %m: memref<4x8xi32>, %out: memref<4x8xi32>) {
  %mul = arith.constant 3 : i32
  %add = arith.constant 0 : i32
  nn.matmul ins(%x, %w : memref<4x16xi8>, memref<8x16xi8>) outs(%out : memref<4x8xi32>) {accumulator = i32, transpose_b}
    epilogue(%m : memref<4x8xi32>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: i32, %mask: i32):
    %r = quant.requantize %sum, %mul, %add shift 16 clip -128 to 127 in i32 : i32, i32, i32 -> i32
    %y = arith.addi %r, %mask : i32
    linalg.yield %y : i32
  }
  func.return
}

// Rows that only move are copied whole; bytes that change places go in strips of 4 rows, others stay.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %i1
// CHECK: scf.for %i2
// CHECK: cluster.copy %x[{{.*}}], %y[{{.*}}], %c12
// CHECK: cluster.transpose %x[{{.*}}], %z[{{.*}}], %c12 {rows = 4 : i64
// CHECK: cluster.transpose %x[{{.*}}], %z[{{.*}}], %c12 {rows = 3 : i64
// CHECK: linalg.transpose
func.func @rows(%x: memref<1x5x7x12xi8>, %y: memref<1x7x5x12xi8>, %z: memref<1x12x5x7xi8>, %a: memref<4x4xi16>, %b: memref<4x4xi16>) {
  linalg.transpose ins(%x : memref<1x5x7x12xi8>) outs(%y : memref<1x7x5x12xi8>) permutation = [0, 2, 1, 3]
  linalg.transpose ins(%x : memref<1x5x7x12xi8>) outs(%z : memref<1x12x5x7xi8>) permutation = [0, 3, 1, 2]
  linalg.transpose ins(%a : memref<4x4xi16>) outs(%b : memref<4x4xi16>) permutation = [1, 0]
  func.return
}
