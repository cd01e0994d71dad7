// RUN: opt-tool %s --split-input-file --verify-diagnostics -p attach-machine{target=siracusa/cluster},copy-windows,map-engines

// The windows of two pixels would be 1296 bytes.

func.func @hint(%a: memref<1x8x8x72xi8>, %b: memref<16x3x3x72xi8>, %c: memref<1x6x6x16xi32>) {
  // expected-error@+1 {{'im2col' is not possible for this convolution}}
  nn.conv ins(%a, %b : memref<1x8x8x72xi8>, memref<16x3x3x72xi8>) outs(%c : memref<1x6x6x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last, im2col}
  func.return
}

// -----

func.func @tensors(%a: tensor<1x2x8x8xi8>, %b: tensor<2x2x3x3xi8>, %c: tensor<1x2x6x6xi32>) -> tensor<1x2x6x6xi32> {
  // expected-error@+1 {{'nn.conv' works on tensors; it needs buffers}}
  %y = nn.conv ins(%a, %b : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%c : tensor<1x2x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32}
  func.return %y : tensor<1x2x6x6xi32>
}
