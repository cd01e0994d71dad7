// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},unfold-windows | filecheck %s

// 7 points of 3 channels are 21 channels: 2 blocks of 16 for each row of a window in place of 7. The image is part of a buffer.
// CHECK-NOT:     memref<16x7x7x3xi8>
// CHECK:         memref.global "private" constant @weights_rows : memref<16x7x1x21xi8>
// CHECK-LABEL: func.func @image
// CHECK:         %[[V:.*]] = memref.reinterpret_cast %x to offset: [33], sizes: [1, 20, 7, 21], strides: [1200, 60, 6, 1]
// CHECK:         : memref<1x20x20x3xi8, strided<[1200, 60, 3, 1], offset: 33>> to memref<1x20x7x21xi8, strided<[1200, 60, 6, 1], offset: 33>>
// CHECK-NEXT:    %[[W:.*]] = memref.get_global @weights_rows : memref<16x7x1x21xi8>
// CHECK-NEXT:    nn.conv ins(%[[V]], %[[W]] : {{.*}}) outs(%y : memref<1x7x7x16xi32>) {strides = array<i64: 2, 1>
memref.global "private" constant @weights : memref<16x7x7x3xi8> = dense<1>
func.func @image(%x: memref<1x20x20x3xi8, strided<[1200, 60, 3, 1], offset: 33>>, %y: memref<1x7x7x16xi32>) {
  %w = memref.get_global @weights : memref<16x7x7x3xi8>
  nn.conv ins(%x, %w : memref<1x20x20x3xi8, strided<[1200, 60, 3, 1], offset: 33>>, memref<16x7x7x3xi8>) outs(%y : memref<1x7x7x16xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}

// A signal: its windows become rows of a product.
// CHECK:         memref.global "private" constant @taps_rows : memref<16x1x10xi8>
// CHECK-LABEL: func.func @signal
// CHECK:         memref.reinterpret_cast %x to offset: [0], sizes: [1, 19, 10], strides: [84, 4, 1]
// CHECK:         nn.conv {{.*}} {strides = array<i64: 1>
memref.global "private" constant @taps : memref<16x5x2xi8> = dense<1>
func.func @signal(%x: memref<1x42x2xi8>, %y: memref<1x19x16xi32>) {
  %w = memref.get_global @taps : memref<16x5x2xi8>
  nn.conv ins(%x, %w : memref<1x42x2xi8>, memref<16x5x2xi8>) outs(%y : memref<1x19x16xi32>)
    {strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}

// Two convolutions share their weights, whose name with rows is taken.
// CHECK:         memref.global "private" constant @equal_rows_0 : memref<16x1x10xi8>
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: memref.get_global @equal_rows_0 : memref<16x1x10xi8>
memref.global "private" constant @equal : memref<16x5x2xi8> = dense<1>
memref.global "private" constant @equal_rows : memref<1xi8> = dense<1>
func.func @two(%x: memref<1x42x2xi8>, %y: memref<1x19x16xi32>, %z: memref<1x19x16xi32>) {
  %w = memref.get_global @equal : memref<16x5x2xi8>
  nn.conv ins(%x, %w : memref<1x42x2xi8>, memref<16x5x2xi8>) outs(%y : memref<1x19x16xi32>)
    {strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%x, %w : memref<1x42x2xi8>, memref<16x5x2xi8>) outs(%z : memref<1x19x16xi32>)
    {strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}
