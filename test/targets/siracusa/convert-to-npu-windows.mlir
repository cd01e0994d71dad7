// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse | filecheck %s
// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse,bufferize --interpret-each -o %t

// Windows that the NPU lacks are rows of a matrix: a row of a window is one loop over its columns and channels.

// CHECK-LABEL: func.func @network
// CHECK:       tensor.pad %x low[0, 1, 0, 0] high[0, 2, 1, 0]
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, ((d1 * 2) + d3), ((d2 * 4) + d4))>,
// CHECK-SAME:    ins({{.*}} : tensor<1x12x14xi8>) outs({{.*}} : tensor<1x5x3x4x6xi8>)
// CHECK:       tensor.collapse_shape {{.*}} : tensor<1x5x3x4x6xi8> into tensor<15x24xi8>
// CHECK:       npu.matmul ins({{.*}} : tensor<15x24xi8>, tensor<8x32xi8>) outs({{.*}} : tensor<15x8xi32>)
// CHECK:       tensor.expand_shape {{.*}} : tensor<15x8xi32> into tensor<1x5x3x8xi32>
func.func @network(%x: tensor<1x9x6x2xi8>) -> tensor<1x5x3x8xi32> {
  %w = arith.constant dense<3> : tensor<8x4x3x2xi8>
  %o = tensor.empty() : tensor<1x5x3x8xi32>
  %y = nn.conv ins(%x, %w : tensor<1x9x6x2xi8>, tensor<8x4x3x2xi8>) outs(%o : tensor<1x5x3x8xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 2, 1>, groups = 1 : i64, accumulator = i32,
     channels_last}
  func.return %y : tensor<1x5x3x8xi32>
}

// With dilations its columns are apart.

// CHECK-LABEL: func.func @dilated
// CHECK-NOT:   tensor.pad
// CHECK:       linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, (d1 + (d3 * 2)), (d2 + (d4 * 3)), d5)>,
// CHECK-SAME:    outs({{.*}} : tensor<1x3x2x3x3x2xi8>)
// CHECK:       npu.matmul ins({{.*}} : tensor<6x18xi8>
func.func @dilated(%x: tensor<1x7x8x2xi8>) -> tensor<1x3x2x4xi32> {
  %w = arith.constant dense<3> : tensor<4x3x3x2xi8>
  %o = tensor.empty() : tensor<1x3x2x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x7x8x2xi8>, tensor<4x3x3x2xi8>) outs(%o : tensor<1x3x2x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 2, 3>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32,
     channels_last}
  func.return %y : tensor<1x3x2x4xi32>
}

// Groups are one with zeros between their weights; windows of single channels stay on the cores.

// CHECK-LABEL: func.func @grouped
// CHECK-DAG:     %w = arith.constant dense<"0x030000F0030000F0030000F0030000F0{{.*}}> : tensor<4x32xi8>
// CHECK:         npu.matmul ins(%{{.*}}, %w : tensor<49x16xi8>, tensor<4x32xi8>)
func.func @grouped(%x: tensor<1x8x8x4xi8>) -> tensor<1x7x7x4xi32> {
  %w = arith.constant dense<1> : tensor<4x2x2x2xi8>
  %o = tensor.empty() : tensor<1x7x7x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x8x8x4xi8>, tensor<4x2x2x2xi8>) outs(%o : tensor<1x7x7x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64, accumulator = i32,
     channels_last}
  func.return %y : tensor<1x7x7x4xi32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK:       nn.conv
// CHECK-SAME:    refusals = {npu = "the NPU does not support 'nn.conv': it has another window; expected 1x1 or 3x3, or channels last and no depthwise one, found 2x2"}
func.func @depthwise(%x: tensor<1x8x8x4xi8>) -> tensor<1x7x7x4xi32> {
  %w = arith.constant dense<1> : tensor<4x2x2x1xi8>
  %o = tensor.empty() : tensor<1x7x7x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x8x8x4xi8>, tensor<4x2x2x1xi8>) outs(%o : tensor<1x7x7x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 4 : i64, accumulator = i32,
     channels_last}
  func.return %y : tensor<1x7x7x4xi32>
}

// A convolution along one axis is that of an image of one row.

// CHECK-LABEL: func.func @line
// CHECK:         tensor.expand_shape %x {{.*}} into tensor<1x1x9x4xi8>
// CHECK:         npu.matmul ins(%{{.*}}, %w : tensor<5x12xi8>, tensor<4x32xi8>)
func.func @line(%x: tensor<1x9x4xi8>) -> tensor<1x5x4xi32> {
  %w = arith.constant dense<1> : tensor<4x3x4xi8>
  %o = tensor.empty() : tensor<1x5x4xi32>
  %y = nn.conv ins(%x, %w : tensor<1x9x4xi8>, tensor<4x3x4xi8>) outs(%o : tensor<1x5x4xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 2>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %y : tensor<1x5x4xi32>
}
