// RUN: opt-tool %s -p convert-kernels-to-tiles | filecheck %s
// RUN: opt-tool %s -p 'convert-kernels-to-tiles{float_pixels=12}' | filecheck %s --check-prefix=TWELVE

// A row of 14 pixels and 32 features at a time.

// CHECK-LABEL: func.func @conv
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<14x32xf32>
// CHECK:         packed.dot_tile %x[%{{.*}}, %{{.*}}, %{{.*}}], %w[%{{.*}}] into %[[SUMS]]
// CHECK-SAME:    : memref<1x30x30x8xf32>, memref<2x3x24x16x1xf32>, memref<14x32xf32>
// TWELVE-LABEL: func.func @conv
// TWELVE:       packed.dot_tile {{.*}}memref<12x32xf32>
// TWELVE:       packed.dot_tile {{.*}}memref<4x32xf32>
func.func @conv(%x: memref<1x30x30x8xf32>, %w: memref<2x3x24x16x1xf32>, %o: memref<1x28x28x32xf32>) {
  packed.conv ins(%x, %w : memref<1x30x30x8xf32>, memref<2x3x24x16x1xf32>) outs(%o : memref<1x28x28x32xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, accumulator = f32}
  func.return
}

// Of a matrix product, tiles of ten rows and two blocks of columns; of the last one, eight columns exist.

// CHECK-LABEL: func.func @matmul
// CHECK:         packed.matmul_tile %a[%[[I:.*]], %{{.*}}], %b[%[[I]], %{{.*}}] into %{{.*}} {columns = 32 : i64}
// CHECK-SAME:    : memref<3x40x15xf32>, memref<3x15x40xf32>, memref<10x32xf32>
// CHECK:         packed.matmul_tile %a[%[[I]], %{{.*}}], %b[%[[I]], %{{.*}}] into %{{.*}} {columns = 8 : i64}
// CHECK-SAME:    : memref<3x40x15xf32>, memref<3x15x40xf32>, memref<10x16xf32>
func.func @matmul(%a: memref<3x40x15xf32>, %b: memref<3x15x40xf32>, %o: memref<3x40x40xf32>) {
  packed.matmul ins(%a, %b : memref<3x40x15xf32>, memref<3x15x40xf32>) outs(%o : memref<3x40x40xf32>) {accumulator = f32}
  func.return
}

// Two rows more than full tiles have are of the last one.

// TWELVE-LABEL: func.func @few
// TWELVE:       packed.matmul_tile {{.*}}memref<12x16xf32>
// TWELVE:       packed.matmul_tile {{.*}}memref<14x16xf32>
// TWELVE-NOT:   packed.matmul_tile
// TWELVE:       func.func
func.func @few(%a: memref<26x15xf32>, %b: memref<15x16xf32>, %o: memref<26x16xf32>) {
  packed.matmul ins(%a, %b : memref<26x15xf32>, memref<15x16xf32>) outs(%o : memref<26x16xf32>) {accumulator = f32}
  func.return
}

// Of groups, a tile names the channels that it takes.

// CHECK-LABEL: func.func @groups
// CHECK:         packed.dot_tile %x[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %w[%{{.*}}] into
// CHECK-SAME:    channels = 4 : i64
func.func @groups(%x: memref<1x4x4x8xf32>, %w: memref<2x1x4x16x1xf32>, %o: memref<1x4x4x32xf32>) {
  packed.conv ins(%x, %w : memref<1x4x4x8xf32>, memref<2x1x4x16x1xf32>) outs(%o : memref<1x4x4x32xf32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, kernel = array<i64: 1, 1>, parts = 2 : i64, accumulator = f32}
  func.return
}
