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

// A pooling whose epilogue has an operand of its own rank.

func.func @pool_epilogue(%x: tensor<1x2x6x6xi8>, %e: tensor<3xi32>, %o: tensor<1x2x3x3xi8>) -> tensor<1x2x3x3xi8> {
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>) {kind = "max", accumulator = i8, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} epilogue(%e : tensor<3xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%s: i8, %t: i32):
    %c = arith.trunci %t : i32 to i8
    %y = arith.addi %s, %c : i8
    linalg.yield %y : i8
  }
  func.return %r : tensor<1x2x3x3xi8>
}
