// RUN: opt-tool %s -p attach-machine{target=gemmini},fold-padding --interpret-each | filecheck %s

// Transfers fill the padding of whole axes too: the convolution reads the image, and its own padding grows by that of each
// side. A padding that nothing else reads is erased.

// CHECK-LABEL: func.func @network
// CHECK-NOT:     tensor.pad
// CHECK:         nn.conv ins(%x, %w : tensor<1x8x8x16xi8>
// CHECK-SAME:      pads = array<i64: 1, 2, 4, 5>
func.func @network(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x11x13x16xi32>) -> tensor<1x11x13x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 3, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x11x11x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x11x11x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x11x13x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 2, 2, 2>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x11x13x16xi32>
}

// Images with channels first, whose only pixel is a row of sums.

// CHECK-LABEL: func.func @first
// CHECK-NOT:     tensor.pad
// CHECK:         nn.conv ins(%x, %w : tensor<1x16x1x2xi8>
// CHECK-SAME:      pads = array<i64: 1, 0, 1, 1>
func.func @first(%x: tensor<1x16x1x2xi8>, %w: tensor<16x16x3x3xi8>, %y: tensor<1x16x1x1xi32>) -> tensor<1x16x1x1xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x16x1x2xi8> to tensor<1x16x3x3xi8>
  %r = nn.conv ins(%p, %w : tensor<1x16x3x3xi8>, tensor<16x16x3x3xi8>) outs(%y : tensor<1x16x1x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %r : tensor<1x16x1x1xi32>
}

// Fewer features than the engine multiplies in a block.

// CHECK-LABEL: func.func @few_features
// CHECK-NOT:     tensor.pad
// CHECK:         pads = array<i64: 1, 1, 1, 1>
func.func @few_features(%x: tensor<1x8x8x16xi8>, %w: tensor<8x3x3x16xi8>, %y: tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x16xi8>, tensor<8x3x3x16xi8>) outs(%y : tensor<1x8x8x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x8x8xi32>
}

// A padding that something else reads too.

// CHECK-LABEL: func.func @shared
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%x, %w : tensor<1x8x8x16xi8>
// CHECK-SAME:      pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT:    func.return %{{.*}}, %[[P]]
func.func @shared(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x8x8x16xi32>) -> (tensor<1x8x8x16xi32>, tensor<1x10x10x16xi8>) {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x8x8x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r, %p : tensor<1x8x8x16xi32>, tensor<1x10x10x16xi8>
}
