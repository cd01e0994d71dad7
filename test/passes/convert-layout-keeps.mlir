// RUN: opt-tool %s -p convert-layout > %t && opt-tool %s | diff - %t

// A convolution whose weights are no constant.
func.func @weights(%x: tensor<1x3x4x4xi8>, %w: tensor<2x3x1x1xi8>) -> tensor<1x2x4x4xi32> {
  %e = tensor.empty() : tensor<1x2x4x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x3x4x4xi8>, tensor<2x3x1x1xi8>) outs(%e : tensor<1x2x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %y : tensor<1x2x4x4xi32>
}

// A product of bytes whose second matrix is not worth moving for a single row.

func.func @row(%x: tensor<1x8xi8>, %y: tensor<8x9xi8>) -> tensor<1x9xi32> {
  %e = tensor.empty() : tensor<1x9xi32>
  %z = nn.matmul ins(%x, %y : tensor<1x8xi8>, tensor<8x9xi8>) outs(%e : tensor<1x9xi32>) {accumulator = i32}
  func.return %z : tensor<1x9xi32>
}

// Padding for more than convolutions.

func.func @padding(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x6x6xi8> {
  %f = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %f : i8
  } : tensor<1x3x4x4xi8> to tensor<1x3x6x6xi8>
  func.return %p : tensor<1x3x6x6xi8>
}

// Ops on buffers.

func.func @buffers(%x: memref<1x3x4x4xi8>, %w: memref<2x3x1x1xi8>, %y: memref<1x2x4x4xi32>) {
  nn.conv ins(%x, %w : memref<1x3x4x4xi8>, memref<2x3x1x1xi8>) outs(%y : memref<1x2x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  linalg.transpose ins(%x : memref<1x3x4x4xi8>) outs(%x : memref<1x3x4x4xi8>) permutation = [0, 1, 3, 2]
  func.return
}
