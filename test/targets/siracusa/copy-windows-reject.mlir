// RUN: opt-tool %s --split-input-file --verify-diagnostics -p attach-machine{target=siracusa/cluster},copy-windows,map-engines

// The windows of two pixels would be 576 bytes.

func.func @hint(%a: memref<1x8x8x32xi8>, %b: memref<16x3x3x32xi8>, %c: memref<1x6x6x16xi32>) {
  // expected-error@+1 {{'im2col' is not possible for this convolution}}
  nn.conv ins(%a, %b : memref<1x8x8x32xi8>, memref<16x3x3x32xi8>) outs(%c : memref<1x6x6x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last, im2col}
  func.return
}
