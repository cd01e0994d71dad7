// RUN: opt-tool %s -p attach-machine{target=gemmini},collapse-pixels | filecheck %s

// Two lines of 24 pixels take the array as many cycles as one of 48, and an instruction more for each block of weights.
// CHECK-LABEL: func.func @network
// CHECK:         memref.reinterpret_cast %x to offset: [0], sizes: [1, 1, 48, 16]
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     memref.reinterpret_cast
func.func @network(%x: memref<1x2x24x16xi8>, %w: memref<32x1x1x16xi8>, %y: memref<1x2x24x32xi32>) {
  nn.conv ins(%x, %w : memref<1x2x24x16xi8>, memref<32x1x1x16xi8>) outs(%y : memref<1x2x24x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}
func.func @whole(%x: memref<1x2x32x16xi8>, %w: memref<32x1x1x16xi8>, %y: memref<1x2x32x32xi32>) {
  nn.conv ins(%x, %w : memref<1x2x32x16xi8>, memref<32x1x1x16xi8>) outs(%y : memref<1x2x32x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}
