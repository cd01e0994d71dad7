// RUN: opt-tool %s -p convert-kernels-to-tiles > %t && opt-tool %s | diff - %t

// The sums of a tile start from 0.

func.func @accumulate(%x: memref<4x8xi8>, %w: memref<1x2x16x4xi8>, %o: memref<4x16xi32>) {
  packed.conv ins(%x, %w : memref<4x8xi8>, memref<1x2x16x4xi8>) outs(%o : memref<4x16xi32>)
    {strides = array<i64>, dilations = array<i64>, kernel = array<i64>, accumulator = i32, accumulate}
  func.return
}

// Channels of a tile are contiguous.

func.func @strided(%a: memref<40x15xf32, strided<[30, 2]>>, %b: memref<15x40xf32>, %o: memref<40x40xf32>) {
  packed.matmul ins(%a, %b : memref<40x15xf32, strided<[30, 2]>>, memref<15x40xf32>) outs(%o : memref<40x40xf32>) {accumulator = f32}
  func.return
}

// Kernels of other dialects are for convert-kernels-to-loops.

func.func @other(%x: memref<4x8xi8>, %o: memref<4xi32>) {
  nn.reduce ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return
}
