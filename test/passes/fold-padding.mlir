// RUN: opt-tool %s -p attach-machine{target=gemmini},fold-padding --interpret-each | filecheck %s

// Transfers fill the padding of whole axes too: the convolution reads the image, and its own padding grows. A padding that
// nothing else reads is erased.

// CHECK-LABEL: func.func @network
// CHECK-NOT:     tensor.pad
// CHECK:         nn.conv ins(%x, %w : tensor<1x8x8x16xi8>
// CHECK-SAME:      pads = array<i64: 1, 1, 1, 2>
func.func @network(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x8x9x16xi32>) -> tensor<1x8x9x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x8x9x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x9x16xi32>
}
