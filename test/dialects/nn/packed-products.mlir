// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK: nn.matmul ins(%x, %w : tensor<8x13xi8>, tensor<5x8xi8>) outs(%o : tensor<8x5xi32>) {accumulator = i32, transpose_b, weight_bits = 4 : i64}
func.func @matmul(%x: tensor<8x13xi8>, %w: tensor<5x8xi8>, %o: tensor<8x5xi32>) -> tensor<8x5xi32> {
  %y = nn.matmul ins(%x, %w : tensor<8x13xi8>, tensor<5x8xi8>) outs(%o : tensor<8x5xi32>)
    {accumulator = i32, transpose_b, weight_bits = 4 : i64}
  func.return %y : tensor<8x5xi32>
}

// CHECK: nn.conv ins(%x, %w : memref<1x8x8x34xi8>, memref<6x3x3x8xi8>) outs(%o : memref<1x6x6x6xi32>)
// CHECK-SAME: groups = 2 : i64, accumulator = i32, channels_last, weight_bits = 2 : i64, unsigned = array<i64: 1>}
func.func @conv(%x: memref<1x8x8x34xi8>, %w: memref<6x3x3x8xi8>, %o: memref<1x6x6x6xi32>) {
  nn.conv ins(%x, %w : memref<1x8x8x34xi8>, memref<6x3x3x8xi8>) outs(%o : memref<1x6x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64,
     accumulator = i32, channels_last, weight_bits = 2 : i64, unsigned = array<i64: 1>}
  func.return
}

// CHECK: {accumulator = i32, transpose_b, weight_bits = 4 : i64, narrow_input, unsigned = array<i64: 0>}
func.func @narrow(%x: memref<8x13xi8>, %w: memref<5x8xi8>, %o: memref<8x5xi32>) {
  nn.matmul ins(%x, %w : memref<8x13xi8>, memref<5x8xi8>) outs(%o : memref<8x5xi32>)
    {accumulator = i32, transpose_b, weight_bits = 4 : i64, narrow_input, unsigned = array<i64: 0>}
  func.return
}
