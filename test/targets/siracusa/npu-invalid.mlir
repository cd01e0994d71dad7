// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @kind(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{kind must be one of dense, depthwise, pointwise, got 'wide'}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "wide", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @axes(%x: tensor<6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{expected an input and an output of 4 axes and weights of 2}}
  %r = npu.conv ins(%x, %w : tensor<6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @words(%x: tensor<1x6x6x32xi16>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{the input and the weights must be bytes}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi16>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @unsigned_weights(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{those of the weights have no sign}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>, unsigned = array<i64: 1>}
  func.return
}

// -----

func.func @padding(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{pads must be four numbers}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0>}
  func.return
}

// -----

func.func @weights(%x: tensor<1x6x6x32xi8>, %w: tensor<8x64xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{the packed weights must be [8, 32], got [8, 64]}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x64xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @pixels(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x5x6x8xi32>) {
  // expected-error@+1 {{the output's leading extents must be [1, 6, 6], got [1, 5, 6]}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x5x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @channels_of_sums(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x9xi32>) {
  // expected-error@+1 {{the packed weights must be [9, 32], got [8, 32]}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x9xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @no_such_bits(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{the NPU does not support weights of 9 bits}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 9 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @wide_padding(%x: tensor<1x6x6x32xi8>, %w: tensor<8x512xi8>, %o: tensor<1x8x6x8xi32>) {
  // expected-error@+1 {{the NPU does not support padding so wide}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x512xi8>) outs(%o : tensor<1x8x6x8xi32>)
    {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 3, 1, 1, 1>}
  func.return
}

// -----

func.func @late_padding(%x: tensor<1x7x6x28xi8>, %w: tensor<8x256xi8>, %o: tensor<1x7x6x8xi32>) {
  // expected-error@+1 {{padding at the bottom that reaches into the last sub-tile but one}}
  %r = npu.conv ins(%x, %w : tensor<1x7x6x28xi8>, tensor<8x256xi8>) outs(%o : tensor<1x7x6x8xi32>)
    {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 1, 2, 1>}
  func.return
}

// -----

func.func @wraps(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>) {
  // expected-error@+1 {{'accumulate' and 'wraps' are not for kernels of the NPU}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>, wraps}
  func.return
}

// -----

func.func @bytes_without_requantisation(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi8>) {
  // expected-error@+1 {{the kernel yields i32, the output holds i8}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi8>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// -----

func.func @other_epilogue(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi32>, %s: tensor<8xi8>, %b: tensor<8xi32>) {
  // expected-error@+1 {{the epilogue must be one npu.requantize of the sum by a scale and a bias}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi32>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
    epilogue(%s, %b : tensor<8xi8>, tensor<8xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    %q = arith.addi %sum, %bias : i32
    linalg.yield %q : i32
  }
  func.return
}

// -----

func.func @more_epilogue(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi8>, %s: tensor<8xi8>, %b: tensor<8xi32>) {
  // expected-error@+1 {{the epilogue must be one npu.requantize of the sum by a scale and a bias}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi8>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
    epilogue(%s, %b : tensor<8xi8>, tensor<8xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    %q = npu.requantize %sum, %scale, %bias shift 9 clip 0 to 255 : i32, i8, i32 -> i8
    %t = arith.addi %q, %scale : i8
    linalg.yield %t : i8
  }
  func.return
}

// -----

func.func @another_sum(%x: tensor<1x6x6x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x6x6x8xi8>, %s: tensor<8xi8>, %b: tensor<8xi32>) {
  // expected-error@+1 {{the epilogue must be one npu.requantize of the sum by a scale and a bias}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x6x6x8xi8>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
    epilogue(%s, %b : tensor<8xi8>, tensor<8xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    %q = npu.requantize %bias, %scale, %sum shift 9 clip 0 to 255 : i32, i8, i32 -> i8
    linalg.yield %q : i8
  }
  func.return
}

// -----

func.func @numbers_of_pixels(%x: tensor<1x8x8x32xi8>, %w: tensor<8x32xi8>, %o: tensor<1x8x8x8xi8>, %s: tensor<8xi8>, %b: tensor<8xi32>) {
  // expected-error@+1 {{the epilogue must take one scale and one bias for each output channel}}
  %r = npu.conv ins(%x, %w : tensor<1x8x8x32xi8>, tensor<8x32xi8>) outs(%o : tensor<1x8x8x8xi8>)
    {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
    epilogue(%s, %b : tensor<8xi8>, tensor<8xi32>) at [affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    %q = npu.requantize %sum, %scale, %bias shift 9 clip 0 to 255 : i32, i8, i32 -> i8
    linalg.yield %q : i8
  }
  func.return
}

// -----

func.func @clip(%x: i32, %s: i8) {
  // expected-error@+1 {{the NPU clips to -128 to 127 or to 0 to 255, not to 0 to 127}}
  %r = npu.requantize %x, %s, %x shift 9 clip 0 to 127 : i32, i8, i32 -> i8
  func.return
}

// -----

func.func @shift(%x: i32, %s: i8) {
  // expected-error@+1 {{a shift of 32 is outside 0 to 31}}
  %r = npu.requantize %x, %s, %x shift 32 clip 0 to 255 : i32, i8, i32 -> i8
  func.return
}

// -----

func.func @scale(%x: i32, %s: i16) {
  // expected-error@+1 {{the scale must be i8 or i32, got i16}}
  %r = npu.requantize %x, %s, %x shift 3 clip 0 to 255 : i32, i16, i32 -> i8
  func.return
}

// -----

func.func @rows(%x: tensor<5x32xi8>, %w: tensor<8x32xi8>, %o: tensor<6x8xi32>) {
  // expected-error@+1 {{input and output must have as many rows}}
  %r = npu.matmul ins(%x, %w : tensor<5x32xi8>, tensor<8x32xi8>) outs(%o : tensor<6x8xi32>) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// -----

func.func @register(%v: i32) {
  // expected-error@+1 {{'index' must not be 24; expected 0 to 23}}
  npu.write %v {index = 24 : i64}
  func.return
}

// -----

func.func @far(%x: memref<8xi8>) {
  // expected-error@+1 {{the buffer must be in a memory that the NPU reaches}}
  %a = npu.address %x : memref<8xi8>
  func.return
}

// -----

// What lies below and right of the image is 0 in GVSoC, whatever the padding holds.

func.func @padding_after(%x: tensor<1x6x6x28xi8>, %w: tensor<8x256xi8>, %o: tensor<1x6x5x8xi32>) {
  // expected-error@+1 {{the NPU does not support padding below or right of the image by -1; expected padding of 0 there}}
  %r = npu.conv ins(%x, %w : tensor<1x6x6x28xi8>, tensor<8x256xi8>) outs(%o : tensor<1x6x5x8xi32>)
    {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 1, 1, 1, 0>, pad_value = -1 : i64}
  func.return
}
