// RUN: opt-tool %s -p attach-machine{target=siracusa/cluster},copy-windows,map-engines | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=%S/narrow/little_stack.toml},copy-windows,map-engines | filecheck %s --check-prefix=LITTLE
// RUN: opt-tool %s -p 'attach-machine{target=siracusa/cluster},copy-windows,map-engines,convert-kernels-to-dots,convert-kernels-to-loops' | filecheck %s --check-prefix=LOOPS

// Rows of windows that are 9 bytes long are worth copying; those of 16 are not. An attribute that is
// there stays.

// CHECK-LABEL:  func.func @network
// CHECK-NEXT:     nn.conv {{.*}} im2col, engine = "cluster"}
// CHECK-NEXT:     nn.conv {{.*}} channels_last, engine = "cluster"}
// CHECK-NEXT:     nn.conv {{.*}} im2col, engine = "cluster"}
// LITTLE-LABEL: func.func @network
// LITTLE-NEXT:    nn.conv {{.*}} channels_last, engine = "cluster"}
// LOOPS:        cluster.im2col %x[{{.*}}], %windows[%c0, %c0], %{{.*}}, %{{.*}}, %c1, %c6
// LOOPS-NEXT:   cluster.im2col %x[{{.*}}], %windows[%c1, %c0], %{{.*}}, %{{.*}}, %c1, %c9
// LOOPS-NEXT:   scf.for %f
// LOOPS:          cluster.dot %windows[%c0, %c0], %w[%{{.*}}, %c0, %c0, %c0], %{{.*}}, %c1, %c1, %c27
func.func @network(%x: memref<1x16x16x3xi8>, %w: memref<16x3x3x3xi8>, %y: memref<1x16x16x16xi32>,
                   %a: memref<1x8x8x16xi8>, %b: memref<16x1x1x16xi8>, %c: memref<1x8x8x16xi32>) {
  nn.conv ins(%x, %w : memref<1x16x16x3xi8>, memref<16x3x3x3xi8>) outs(%y : memref<1x16x16x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32, channels_last}
  nn.conv ins(%a, %b : memref<1x8x8x16xi8>, memref<16x1x1x16xi8>) outs(%c : memref<1x8x8x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last}
  nn.conv ins(%a, %b : memref<1x8x8x16xi8>, memref<16x1x1x16xi8>) outs(%c : memref<1x8x8x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last, im2col}
  func.return
}
