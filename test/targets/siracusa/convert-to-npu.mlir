// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse | filecheck %s
// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse,fuse-epilogues | filecheck %s
// RUN: opt-tool %s -p convert-to-npu{everything=true},canonicalize,cse,bufferize --interpret-each -o %t

// A requantisation of each channel becomes the NPU's: the rounding joins the bias, weights are packed in 3 bits.

// CHECK-LABEL: func.func @network
// CHECK-DAG:   %w_scale = arith.constant dense<[3, 5]> : tensor<2xi8>
// CHECK-DAG:   %w_bias = arith.constant dense<[132, -372]> : tensor<2xi32>
// CHECK-DAG:   %w = arith.constant {{.*}} : tensor<2x96xi8>
// CHECK:       %y = npu.conv ins(%x, %w : tensor<1x6x6x1xi8>, tensor<2x96xi8>) outs({{.*}} : tensor<1x6x6x2xi8>)
// CHECK-SAME:    {bits = 3 : i64, offset = -4 : i64, kind = "dense", pads = array<i64: 1, 1, 1, 1>, unsigned = array<i64: 0>, engine = "npu"} epilogue(%w_scale, %w_bias : tensor<2xi8>, tensor<2xi32>)
// CHECK-NEXT:  ^bb0(%{{.*}}: i32, %{{.*}}: i8, %{{.*}}: i32):
// CHECK-NEXT:    npu.requantize {{.*}} shift 6 clip -128 to 127
// CHECK-NEXT:    linalg.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
func.func @network(%x: tensor<1x6x6x1xi8> {onnx.name = "x"}) -> (tensor<1x6x6x2xi8> {onnx.name = "y"}) {
  %w = arith.constant dense<[[[[-4], [-3], [-2]], [[-1], [0], [1]], [[2], [3], [0]]], [[[0], [0], [1]], [[2], [0], [0]], [[0], [0], [3]]]]> : tensor<2x3x3x1xi8>
  %mul = arith.constant dense<[3, 5]> : tensor<2xi16>
  %add = arith.constant dense<[100, -404]> : tensor<2xi32>
  %o = tensor.empty() : tensor<1x6x6x2xi8>
  %y = nn.conv ins(%x, %w : tensor<1x6x6x1xi8>, tensor<2x3x3x1xi8>) outs(%o : tensor<1x6x6x2xi8>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
     accumulator = i32, channels_last, unsigned = array<i64: 0>}
    epilogue(%mul, %add : tensor<2xi16>, tensor<2xi32>)
    at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%s: i32, %m: i16, %a: i32):
    %r = quant.requantize %s, %m, %a shift 6 clip -128 to 127 in i32 : i32, i16, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<1x6x6x2xi8>
}

// What comes after the requantisation is left, on bytes. Channels move last and back, around a depthwise convolution.

// CHECK-LABEL: func.func @residual
// CHECK:       linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
// CHECK:       npu.conv ins({{.*}} : tensor<1x4x4x2xi8>, tensor<1x256xi8>) outs({{.*}} : tensor<1x4x4x2xi8>)
// CHECK-SAME:    bits = 8 : i64, offset = -128 : i64, kind = "depthwise"
// CHECK:         npu.requantize {{.*}} shift 4 clip 0 to 255 : i32, i8, i32 -> i8
// CHECK:       linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK:       linalg.generic {{.*}} : tensor<1x2x4x4xi8>, tensor<1x2x4x4xi8>) outs({{.*}} : tensor<1x2x4x4xi8>)
// CHECK-NEXT:  ^bb0(%{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i8):
// CHECK-NEXT:    arith.addi
func.func @residual(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %w = arith.constant dense<[[[[1, 2, 3], [4, 5, 6], [7, 8, 127]]], [[[-1, 2, 3], [4, 5, 6], [7, 8, -100]]]]> : tensor<2x1x3x3xi8>
  %o = tensor.empty() : tensor<1x2x4x4xi8>
  %y = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x1x3x3xi8>) outs(%o : tensor<1x2x4x4xi8>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 2 : i64,
     accumulator = i32} epilogue(%x : tensor<1x2x4x4xi8>) at [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%s: i32, %skip: i8):
    %m = arith.constant 200 : i32
    %r = quant.requantize %s, %m, %m shift 4 clip 0 to 255 in i32 : i32, i32, i32 -> i8
    %t = arith.addi %r, %skip : i8
    linalg.yield %t : i8
  }
  func.return %y : tensor<1x2x4x4xi8>
}

// A ReLU before the requantisation to unsigned bytes is superfluous; narrower clips are left.

// CHECK-LABEL: func.func @narrow
// CHECK:       npu.matmul {{.*}} outs({{.*}} : tensor<5x2xi8>)
// CHECK:         npu.requantize {{.*}} shift 3 clip 0 to 255 : i32, i8, i32 -> i8
// CHECK:       linalg.generic
// CHECK:         arith.extui
// CHECK:         arith.constant 15 : i32
func.func @narrow(%x: tensor<5x4xi8>) -> tensor<5x2xi8> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %o = tensor.empty() : tensor<5x2xi8>
  %y = nn.matmul ins(%x, %w : tensor<5x4xi8>, tensor<4x2xi8>) outs(%o : tensor<5x2xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %z = arith.constant 0 : i32
    %m = arith.constant 3 : i32
    %p = arith.maxsi %s, %z : i32
    %r = quant.requantize %p, %m, %z shift 3 clip 0 to 15 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<5x2xi8>
}

// Where the NPU cannot requantise bit for bit, its sums are left to others: here a scale is negative.

// CHECK-LABEL: func.func @sums
// CHECK:       npu.conv ins({{.*}} : tensor<1x2x2x3xi8>, tensor<2x32xi8>) outs({{.*}} : tensor<1x2x2x2xi32>)
// CHECK-SAME:    bits = 8 : i64, offset = -128 : i64, kind = "pointwise"
// CHECK:       linalg.generic {{.*}} : tensor<1x2x2x2xi32>) outs({{.*}} : tensor<1x2x2x2xi8>)
// CHECK:         quant.requantize {{.*}} shift 6 clip -128 to 127
func.func @sums(%x: tensor<1x2x2x3xi8>) -> tensor<1x2x2x2xi8> {
  %w = arith.constant dense<1> : tensor<2x1x1x3xi8>
  %o = tensor.empty() : tensor<1x2x2x2xi8>
  %y = nn.conv ins(%x, %w : tensor<1x2x2x3xi8>, tensor<2x1x1x3xi8>) outs(%o : tensor<1x2x2x2xi8>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, channels_last} epilogue() at [] {
  ^bb0(%s: i32):
    %m = arith.constant -3 : i32
    %r = quant.requantize %s, %m, %m shift 6 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<1x2x2x2xi8>
}

// Sums times scale plus bias must stay within 32 bits, as the values of the weights have it.

// CHECK-LABEL: func.func @overflow
// CHECK:       npu.matmul {{.*}} outs({{.*}} : tensor<5x2xi32>)
// CHECK:       linalg.generic
func.func @overflow(%x: tensor<5x4xi8>) -> tensor<5x2xi8> {
  %w = arith.constant dense<127> : tensor<4x2xi8>
  %o = tensor.empty() : tensor<5x2xi8>
  %y = nn.matmul ins(%x, %w : tensor<5x4xi8>, tensor<4x2xi8>) outs(%o : tensor<5x2xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %z = arith.constant 0 : i32
    // 4 * 127 * -128 * 33035 + 2^19 is just below -2^31.
    %m = arith.constant 33035 : i32
    %r = quant.requantize %s, %m, %z shift 20 clip -128 to 127 in i64 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<5x2xi8>
}

// CHECK-LABEL: func.func @no_overflow
// CHECK:       npu.matmul {{.*}} outs({{.*}} : tensor<5x2xi8>)
// CHECK:         npu.requantize {{.*}} : i32, i32, i32 -> i8
// CHECK-NOT:   linalg.generic
func.func @no_overflow(%x: tensor<5x4xi8>) -> tensor<5x2xi8> {
  %w = arith.constant dense<127> : tensor<4x2xi8>
  %o = tensor.empty() : tensor<5x2xi8>
  %y = nn.matmul ins(%x, %w : tensor<5x4xi8>, tensor<4x2xi8>) outs(%o : tensor<5x2xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %z = arith.constant 0 : i32
    %m = arith.constant 33034 : i32
    %r = quant.requantize %s, %m, %z shift 20 clip -128 to 127 in i64 : i32, i32, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<5x2xi8>
}

// Leading axes of a matrix product are rows.

// CHECK-LABEL: func.func @rows
// CHECK:       tensor.collapse_shape {{.*}} : tensor<2x5x4xi8> into tensor<10x4xi8>
// CHECK:       npu.matmul {{.*}} : tensor<10x4xi8>, tensor<2x32xi8>) outs({{.*}} : tensor<10x2xi32>) {bits = 8 : i64, offset = -128 : i64, unsigned = array<i64: 0>, engine = "npu"}
// CHECK:       tensor.expand_shape {{.*}} : tensor<10x2xi32> into tensor<2x5x2xi32>
func.func @rows(%x: tensor<2x5x4xi8>) -> tensor<2x5x2xi32> {
  %w = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %o = tensor.empty() : tensor<2x5x2xi32>
  %y = nn.matmul ins(%x, %w : tensor<2x5x4xi8>, tensor<2x4xi8>) outs(%o : tensor<2x5x2xi32>)
    {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  func.return %y : tensor<2x5x2xi32>
}

// Padding in memory above and left of the image becomes the NPU's, whatever it holds.

// CHECK-LABEL: func.func @padding(
// CHECK-NOT:   tensor.pad
// CHECK:       npu.conv ins(%x, {{.*}} : tensor<1x4x4x4xi8>, tensor<1x64xi8>)
// CHECK-SAME:    pads = array<i64: 2, 1, 0, 0>, pad_value = -5 : i64
func.func @padding(%x: tensor<1x4x4x4xi8>) -> tensor<1x4x3x1xi32> {
  %p = tensor.pad %x low[0, 2, 1, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %v = arith.constant -5 : i8
    tensor.yield %v : i8
  } : tensor<1x4x4x4xi8> to tensor<1x6x5x4xi8>
  %w = arith.constant dense<1> : tensor<1x3x3x4xi8>
  %o = tensor.empty() : tensor<1x4x3x1xi32>
  %y = nn.conv ins(%p, %w : tensor<1x6x5x4xi8>, tensor<1x3x3x4xi8>) outs(%o : tensor<1x4x3x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %y : tensor<1x4x3x1xi32>
}

// Padding below and right of the image becomes the NPU's where it is 0.

// CHECK-LABEL: func.func @padding_after(
// CHECK:       npu.conv ins(%x, {{.*}} : tensor<1x4x4x4xi8>, tensor<1x64xi8>)
// CHECK-SAME:    pads = array<i64: 1, 0, 2, 1>, engine
// CHECK:       %p = tensor.pad %x
// CHECK:       npu.conv ins(%p, {{.*}} : tensor<1x7x5x4xi8>, tensor<1x64xi8>)
// CHECK-SAME:    pads = array<i64: 0, 0, 0, 0>, engine
func.func @padding_after(%x: tensor<1x4x4x4xi8>) -> (tensor<1x5x3x1xi32>, tensor<1x5x3x1xi32>) {
  %zeros = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %v = arith.constant 0 : i8
    tensor.yield %v : i8
  } : tensor<1x4x4x4xi8> to tensor<1x7x5x4xi8>
  %w = arith.constant dense<1> : tensor<1x3x3x4xi8>
  %o = tensor.empty() : tensor<1x5x3x1xi32>
  %z = nn.conv ins(%zeros, %w : tensor<1x7x5x4xi8>, tensor<1x3x3x4xi8>) outs(%o : tensor<1x5x3x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 2, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %v = arith.constant -5 : i8
    tensor.yield %v : i8
  } : tensor<1x4x4x4xi8> to tensor<1x7x5x4xi8>
  %y = nn.conv ins(%p, %w : tensor<1x7x5x4xi8>, tensor<1x3x3x4xi8>) outs(%o : tensor<1x5x3x1xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return %z, %y : tensor<1x5x3x1xi32>, tensor<1x5x3x1xi32>
}

// The NPU knows no strides: it gets the pixels that a window of 1x1 reads; of what a window of 3x3 makes, some are taken.
// Pairs of columns that lie side by side are one column with twice the channels, of which none is left out.

// CHECK-LABEL: func.func @strides
// CHECK:       %[[X:.*]] = tensor.extract_slice %x[0, 0, 0, 0] [1, 3, 3, 2] [1, 2, 2, 1]
// CHECK:       npu.conv ins(%[[X]], {{.*}}) outs({{.*}} : tensor<1x3x3x2xi32>) {{.*}}kind = "pointwise"
// CHECK:       %[[R:.*]] = tensor.collapse_shape %x {{.*}} : tensor<1x6x6x2xi8> into tensor<1x6x12xi8>
// CHECK:       %[[P:.*]] = tensor.expand_shape %[[R]] {{.*}} : tensor<1x6x12xi8> into tensor<1x6x3x4xi8>
// CHECK:       %[[Y:.*]] = npu.conv ins(%[[P]], {{.*}} : tensor<1x6x3x4xi8>, tensor<2x64xi8>) outs({{.*}} : tensor<1x6x3x2xi32>)
// CHECK-SAME:    kind = "dense", pads = array<i64: 1, 1, 1, 1>
// CHECK:       tensor.extract_slice %[[Y]][0, 0, 0, 0] [1, 3, 3, 2] [1, 2, 1, 1]
func.func @strides(%x: tensor<1x6x6x2xi8>) -> (tensor<1x3x3x2xi32>, tensor<1x3x3x2xi32>) {
  %v = arith.constant dense<1> : tensor<2x1x1x2xi8>
  %w = arith.constant dense<1> : tensor<2x3x3x2xi8>
  %o = tensor.empty() : tensor<1x3x3x2xi32>
  %y = nn.conv ins(%x, %v : tensor<1x6x6x2xi8>, tensor<2x1x1x2xi8>) outs(%o : tensor<1x3x3x2xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last, engine = "npu"}
  %z = nn.conv ins(%x, %w : tensor<1x6x6x2xi8>, tensor<2x3x3x2xi8>) outs(%o : tensor<1x3x3x2xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last, engine = "npu"}
  func.return %y, %z : tensor<1x3x3x2xi32>, tensor<1x3x3x2xi32>
}

// Columns that are no pairs, more channels than the NPU takes at once, and parts of an image, which lie in rows apart.

// CHECK-LABEL: func.func @not_folded
// CHECK:       npu.conv ins(%x, {{.*}} : tensor<1x6x5x2xi8>, {{.*}}) outs({{.*}} : tensor<1x6x5x2xi32>) {{.*}}kind = "dense"
// CHECK:       npu.conv ins(%u, {{.*}} : tensor<1x6x6x16xi8>, {{.*}}) outs({{.*}} : tensor<1x6x6x2xi32>) {{.*}}kind = "dense"
// CHECK:       npu.conv ins({{.*}} : tensor<1x6x4x2xi8>, {{.*}}) outs({{.*}} : tensor<1x6x4x2xi32>) {{.*}}kind = "dense"
func.func @not_folded(%x: tensor<1x6x5x2xi8>, %u: tensor<1x6x6x16xi8>) -> (tensor<1x3x3x2xi32>, tensor<1x3x3x2xi32>, tensor<1x3x2x2xi32>) {
  %w = arith.constant dense<1> : tensor<2x3x3x2xi8>
  %v = arith.constant dense<1> : tensor<2x3x3x16xi8>
  %o = tensor.empty() : tensor<1x3x3x2xi32>
  %y = nn.conv ins(%x, %w : tensor<1x6x5x2xi8>, tensor<2x3x3x2xi8>) outs(%o : tensor<1x3x3x2xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last, engine = "npu"}
  %z = nn.conv ins(%u, %v : tensor<1x6x6x16xi8>, tensor<2x3x3x16xi8>) outs(%o : tensor<1x3x3x2xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last, engine = "npu"}
  %part = tensor.extract_slice %x[0, 0, 0, 0] [1, 6, 4, 2] [1, 1, 1, 1] : tensor<1x6x5x2xi8> to tensor<1x6x4x2xi8>
  %p = tensor.empty() : tensor<1x3x2x2xi32>
  %t = nn.conv ins(%part, %w : tensor<1x6x4x2xi8>, tensor<2x3x3x2xi8>) outs(%p : tensor<1x3x2x2xi32>)
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last, engine = "npu"}
  func.return %y, %z, %t : tensor<1x3x3x2xi32>, tensor<1x3x3x2xi32>, tensor<1x3x2x2xi32>
}

// What the NPU cannot do stays: another window, weights that are not constant, a kernel of another engine.

// CHECK-LABEL: func.func @left
// CHECK-NOT:   npu.
// CHECK-COUNT-3: nn.conv
// CHECK-NOT:   npu.
// CHECK:       func.return
func.func @left(%x: tensor<1x2x4x4xi8>, %v: tensor<2x2x1x1xi8>) -> (tensor<1x2x3x3xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4x4xi32>) {
  %w = arith.constant dense<1> : tensor<2x2x1x1xi8>
  %u = arith.constant dense<1> : tensor<2x2x2x2xi8>
  %o3 = tensor.empty() : tensor<1x2x3x3xi32>
  %y1 = nn.conv ins(%x, %u : tensor<1x2x4x4xi8>, tensor<2x2x2x2xi8>) outs(%o3 : tensor<1x2x3x3xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  %o4 = tensor.empty() : tensor<1x2x4x4xi32>
  %y2 = nn.conv ins(%x, %v : tensor<1x2x4x4xi8>, tensor<2x2x1x1xi8>) outs(%o4 : tensor<1x2x4x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  %y3 = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x2x1x1xi8>) outs(%o4 : tensor<1x2x4x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32,
     engine = "cluster"}
  func.return %y1, %y2, %y3 : tensor<1x2x3x3xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4x4xi32>
}
