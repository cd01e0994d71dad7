// RUN: opt-tool %s -p attach-machine{target=gemmini},fold-padding | filecheck %s
// RUN: opt-tool %S/fold-padding.mlir -p attach-machine{target=gemmini/loops},fold-padding | filecheck --check-prefix=LOOPS %s

// An engine whose inputs no transfer fills.

// LOOPS-LABEL: func.func @network
// LOOPS:         %[[P:.*]] = tensor.pad
// LOOPS:         nn.conv ins(%[[P]], %w

// Images with channels first, whose features are no rows of sums of the array: the core reads the padded copy.

// CHECK-LABEL: func.func @first
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
func.func @first(%x: tensor<1x16x8x8xi8>, %w: tensor<16x16x3x3xi8>, %y: tensor<1x16x8x9xi32>) -> tensor<1x16x8x9xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 0, 1, 2] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x16x8x8xi8> to tensor<1x16x10x11xi8>
  %r = nn.conv ins(%p, %w : tensor<1x16x10x11xi8>, tensor<16x16x3x3xi8>) outs(%y : tensor<1x16x8x9xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return %r : tensor<1x16x8x9xi32>
}

// Padding by another number, which the convolution's is not.

// CHECK-LABEL: func.func @by_one
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 1>
func.func @by_one(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x8x9x16xi32>) -> tensor<1x8x9x16xi32> {
  %number = arith.constant 1 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x8x9x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x9x16xi32>
}

// Padding of channels, which windows do not move along.

// CHECK-LABEL: func.func @of_channels
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 1>
func.func @of_channels(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x24xi8>, %y: tensor<1x8x9x16xi32>) -> tensor<1x8x9x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 8] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x24xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x24xi8>, tensor<16x3x3x24xi8>) outs(%y : tensor<1x8x9x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x9x16xi32>
}

// Fewer channels than a block: the windows of a padded image are unfolded.

// CHECK-LABEL: func.func @few_channels
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 1>
func.func @few_channels(%x: tensor<1x8x8x3xi8>, %w: tensor<16x3x3x3xi8>, %y: tensor<1x8x9x16xi32>) -> tensor<1x8x9x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x3xi8> to tensor<1x10x10x3xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x3xi8>, tensor<16x3x3x3xi8>) outs(%y : tensor<1x8x9x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x9x16xi32>
}

// Padding that varies from place to place.

// CHECK-LABEL: func.func @varying
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
func.func @varying(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32> {
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    %n = arith.index_cast %b : index to i8
    tensor.yield %n : i8
  } : tensor<1x8x8x16xi8> to tensor<1x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x10x10x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x8x8x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x8x8x16xi32>
}

// Padding by whole images too.

// CHECK-LABEL: func.func @batch
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
func.func @batch(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<2x8x8x16xi32>) -> tensor<2x8x8x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<2x10x10x16xi8>
  %r = nn.conv ins(%p, %w : tensor<2x10x10x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<2x8x8x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<2x8x8x16xi32>
}

// Padding of one side that cuts the image on another.

// CHECK-LABEL: func.func @cropped
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         nn.conv ins(%[[P]], %w
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
func.func @cropped(%x: tensor<1x8x8x16xi8>, %w: tensor<16x3x3x16xi8>, %y: tensor<1x5x7x16xi32>) -> tensor<1x5x7x16xi32> {
  %number = arith.constant 0 : i8
  %p = tensor.pad %x low[0, -1, 1, 0] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %number : i8
  } : tensor<1x8x8x16xi8> to tensor<1x7x9x16xi8>
  %r = nn.conv ins(%p, %w : tensor<1x7x9x16xi8>, tensor<16x3x3x16xi8>) outs(%y : tensor<1x5x7x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %r : tensor<1x5x7x16xi32>
}
