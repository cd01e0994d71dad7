// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},collapse-pixels --interpret-each | filecheck %s

// One loop over 49 pixels takes fewer cycles than two of 7. The image is a part of a buffer.
// CHECK-LABEL: func.func @network
// CHECK-NEXT:    %[[X:.*]] = memref.reinterpret_cast %x to offset: [32], sizes: [1, 1, 49, 16], strides: [1568, 224, 32, 1]
// CHECK:         %[[Y:.*]] = memref.reinterpret_cast %y to offset: [0], sizes: [1, 1, 49, 32], strides: [1568, 224, 32, 1]
// CHECK:         nn.conv ins(%[[X]], %w : {{.*}}) outs(%[[Y]]
func.func @network(%x: memref<1x7x7x16xi8, strided<[1568, 224, 32, 1], offset: 32>>, %w: memref<32x1x1x16xi8>, %y: memref<1x7x7x32xi32>) {
  nn.conv ins(%x, %w : memref<1x7x7x16xi8, strided<[1568, 224, 32, 1], offset: 32>>, memref<32x1x1x16xi8>) outs(%y : memref<1x7x7x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last, engine = "core"}
  func.return
}
