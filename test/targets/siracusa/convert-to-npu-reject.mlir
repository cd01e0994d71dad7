// RUN: opt-tool %s -p convert-to-npu --split-input-file --verify-diagnostics

// What the attribute gives to the NPU, it must be able to do.

func.func @dilations(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x4x4xi32>) -> tensor<1x2x4x4xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has dilations}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x4x4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x4x4xi32>
}

// -----

func.func @window(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x7x7xi32>) -> tensor<1x2x7x7xi32> {
  %w = arith.constant dense<1> : tensor<2x2x2x2xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has another window}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x2x2xi8>) outs(%o : tensor<1x2x7x7xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x7x7xi32>
}

// -----

func.func @groups(%x: tensor<1x2x8x8xi8>, %o: tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32> {
  %w = arith.constant dense<1> : tensor<4x1x3x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has groups of one channel}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<4x1x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x4x6x6xi32>
}

// -----

func.func @depthwise_pointwise(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xi32> {
  %w = arith.constant dense<1> : tensor<2x1x1x1xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has groups}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x1x1x1xi8>) outs(%o : tensor<1x2x8x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x8x8xi32>
}

// -----

func.func @axes(%x: tensor<1x2x8xi8>, %o: tensor<1x2x6xi32>) -> tensor<1x2x6xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it is along one axis with channels first}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8xi8>, tensor<2x2x3xi8>) outs(%o : tensor<1x2x6xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x6xi32>
}

// -----

func.func @padding(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x9x6xi32>) -> tensor<1x2x9x6xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has more padding}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x9x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 3, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x9x6xi32>
}

// -----

func.func @padded_pixels(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x9x8xi32>) -> tensor<1x2x9x8xi32> {
  %w = arith.constant dense<1> : tensor<2x2x1x1xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has more padding}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x1x1xi8>) outs(%o : tensor<1x2x9x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x9x8xi32>
}

// -----

func.func @late_padding(%x: tensor<1x2x7x8xi8>, %o: tensor<1x2x7x6xi32>) -> tensor<1x2x7x6xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi8>
  // expected-error@+1 {{the NPU does not support padding at the bottom that reaches into the last sub-tile but one}}
  %y = nn.conv ins(%x, %w : tensor<1x2x7x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x7x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 2, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x7x6xi32>
}

// -----

func.func @windows_left_out(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x5x6xi32>) -> tensor<1x2x5x6xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it leaves out windows}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x5x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x5x6xi32>
}

// -----

func.func @variable_weights(%x: tensor<1x2x8x8xi8>, %w: tensor<2x2x3x3xi8>, %o: tensor<1x2x6x6xi32>) -> tensor<1x2x6x6xi32> {
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has weights that are not constant}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x6x6xi32>
}

// -----

func.func @words(%x: tensor<1x2x8x8xi16>, %o: tensor<1x2x6x6xi32>) -> tensor<1x2x6x6xi32> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi16>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it is not on bytes with sums of 32 bits}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi16>, tensor<2x2x3x3xi16>) outs(%o : tensor<1x2x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x2x6x6xi32>
}

// -----

func.func @wide_sums(%x: tensor<1x2x8x8xi8>, %o: tensor<1x2x6x6xi64>) -> tensor<1x2x6x6xi64> {
  %w = arith.constant dense<1> : tensor<2x2x3x3xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it is not on bytes with sums of 32 bits}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x6x6xi64>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i64, engine = "npu"}
  func.return %y : tensor<1x2x6x6xi64>
}

// -----

func.func @columns(%x: tensor<4x5xi8>, %o: tensor<5x2xi32>) -> tensor<5x2xi32> {
  %w = arith.constant dense<1> : tensor<4x2xi8>
  // expected-error@+1 {{the NPU does not support 'nn.matmul': it is no product of rows with one matrix}}
  %y = nn.matmul ins(%x, %w : tensor<4x5xi8>, tensor<4x2xi8>) outs(%o : tensor<5x2xi32>)
    {accumulator = i32, transpose_a, engine = "npu"}
  func.return %y : tensor<5x2xi32>
}

// -----

func.func @empty(%x: tensor<1x2x8x8xi8>, %o: tensor<1x0x8x8xi32>) -> tensor<1x0x8x8xi32> {
  %w = arith.constant dense<1> : tensor<0x2x1x1xi8>
  // expected-error@+1 {{the NPU does not support 'nn.conv': it has no elements}}
  %y = nn.conv ins(%x, %w : tensor<1x2x8x8xi8>, tensor<0x2x1x1xi8>) outs(%o : tensor<1x0x8x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
     accumulator = i32, engine = "npu"}
  func.return %y : tensor<1x0x8x8xi32>
}
