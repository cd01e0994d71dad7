// RUN: opt-tool %s -p attach-machine{target=siracusa/cluster},copy-windows,map-engines | filecheck %s

// Kernels without elements have costs, too.

// CHECK-LABEL: func.func @network
// CHECK-NEXT:    nn.conv
func.func @network(%x: memref<1x0x0x3xi8>, %w: memref<16x3x3x3xi8>, %y: memref<1x0x0x16xi32>) {
  nn.conv ins(%x, %w : memref<1x0x0x3xi8>, memref<16x3x3x3xi8>) outs(%y : memref<1x0x0x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32, channels_last}
  func.return
}
