// RUN: opt-tool %s -p attach-machine{target=siracusa},convert-to-npu,canonicalize,bufferize,map-engines -t engines | filecheck %s

// Every reason for which the NPU does not take a convolution.

// CHECK:      nn.conv 'dilated' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it has dilations; expected dilations of 1, found [2, 2]
// CHECK:      nn.conv 'window' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it has another window; expected 1x1 or 3x3, or channels last and no depthwise one, found 2x2
// CHECK:      nn.conv 'groups' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it has groups of one channel; expected a 3x3 window for each channel, found 8 groups
// CHECK:      nn.conv 'padded' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it has more padding; expected 0 to 2 on each side, found [3, 3, 3, 3]
// CHECK:      nn.conv 'variable' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it has weights that are not constant; expected constant weights
// CHECK:      nn.conv 'words' on cluster
// CHECK-NEXT:      npu: the NPU does not support 'nn.conv': it is not on bytes with sums of 32 bits; expected i8, i8 or i16, sums of i32, found i16, i16, sums of i32
// CHECK:      nn.conv 'pinned' on cluster
// CHECK-NEXT:      npu: the attribute 'engine' names "cluster"
// CHECK:      nn.conv 'tiny' on cluster
// CHECK-NEXT:      npu: {{[0-9,]+}} cycles here, {{[0-9,]+}} on 'cluster'
func.func @network(%dilated_x: tensor<1x8x8x16xi8>, %window_x: tensor<1x8x8x16xi8>, %groups_x: tensor<1x8x8x8xi8>,
                   %padded_x: tensor<1x6x6x16xi8>, %variable_x: tensor<1x8x8x16xi8>, %variable_w: tensor<16x3x3x16xi8>,
                   %words_x: tensor<1x8x8x16xi16>, %pinned_x: tensor<1x8x8x16xi8>, %tiny_x: tensor<1x1x1x1xi8>)
    -> (tensor<1x4x4x16xi32>, tensor<1x7x7x16xi32>, tensor<1x6x6x16xi32>, tensor<1x10x10x16xi32>, tensor<1x6x6x16xi32>, tensor<1x6x6x16xi32>, tensor<1x6x6x16xi32>, tensor<1x1x1x1xi32>) {
  %dilated_w = arith.constant dense<1> : tensor<16x3x3x1xi8>
  %dilated_o = tensor.empty() : tensor<1x4x4x16xi32>
  %dilated = nn.conv ins(%dilated_x, %dilated_w : tensor<1x8x8x16xi8>, tensor<16x3x3x1xi8>) outs(%dilated_o : tensor<1x4x4x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, groups = 16 : i64, accumulator = i32, channels_last} loc("dilated")
  %window_w = arith.constant dense<1> : tensor<16x2x2x1xi8>
  %window_o = tensor.empty() : tensor<1x7x7x16xi32>
  %window = nn.conv ins(%window_x, %window_w : tensor<1x8x8x16xi8>, tensor<16x2x2x1xi8>) outs(%window_o : tensor<1x7x7x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 16 : i64, accumulator = i32, channels_last} loc("window")
  %groups_w = arith.constant dense<1> : tensor<16x3x3x1xi8>
  %groups_o = tensor.empty() : tensor<1x6x6x16xi32>
  %groups = nn.conv ins(%groups_x, %groups_w : tensor<1x8x8x8xi8>, tensor<16x3x3x1xi8>) outs(%groups_o : tensor<1x6x6x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 8 : i64, accumulator = i32, channels_last} loc("groups")
  %padded_w = arith.constant dense<1> : tensor<16x3x3x1xi8>
  %padded_o = tensor.empty() : tensor<1x10x10x16xi32>
  %padded = nn.conv ins(%padded_x, %padded_w : tensor<1x6x6x16xi8>, tensor<16x3x3x1xi8>) outs(%padded_o : tensor<1x10x10x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 3, 3, 3, 3>, groups = 16 : i64, accumulator = i32, channels_last} loc("padded")
  %variable_o = tensor.empty() : tensor<1x6x6x16xi32>
  %variable = nn.conv ins(%variable_x, %variable_w : tensor<1x8x8x16xi8>, tensor<16x3x3x16xi8>) outs(%variable_o : tensor<1x6x6x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} loc("variable")
  %words_w = arith.constant dense<1> : tensor<16x3x3x16xi16>
  %words_o = tensor.empty() : tensor<1x6x6x16xi32>
  %words = nn.conv ins(%words_x, %words_w : tensor<1x8x8x16xi16>, tensor<16x3x3x16xi16>) outs(%words_o : tensor<1x6x6x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} loc("words")
  %pinned_w = arith.constant dense<1> : tensor<16x3x3x16xi8>
  %pinned_o = tensor.empty() : tensor<1x6x6x16xi32>
  %pinned = nn.conv ins(%pinned_x, %pinned_w : tensor<1x8x8x16xi8>, tensor<16x3x3x16xi8>) outs(%pinned_o : tensor<1x6x6x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last, engine = "cluster"} loc("pinned")
  %tiny_w = arith.constant dense<1> : tensor<1x1x1x1xi8>
  %tiny_o = tensor.empty() : tensor<1x1x1x1xi32>
  %tiny = nn.conv ins(%tiny_x, %tiny_w : tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>) outs(%tiny_o : tensor<1x1x1x1xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} loc("tiny")
  func.return %dilated, %window, %groups, %padded, %variable, %words, %pinned, %tiny : tensor<1x4x4x16xi32>, tensor<1x7x7x16xi32>, tensor<1x6x6x16xi32>, tensor<1x10x10x16xi32>, tensor<1x6x6x16xi32>, tensor<1x6x6x16xi32>, tensor<1x6x6x16xi32>, tensor<1x1x1x1xi32>
}
