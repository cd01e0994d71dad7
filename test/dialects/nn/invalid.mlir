// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @conv_of_one_operand(%x: tensor<1x3x8x8xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{expected an input and a weight}}
  %r = nn.conv ins(%x : tensor<1x3x8x8xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_of_planes_copies_windows(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{'im2col' is for convolutions with 'channels_last'}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, im2col}
  func.return
}

// -----

func.func @conv_of_vectors(%x: tensor<8xi8>, %w: tensor<4xi8>, %o: tensor<4xi32>) {
  // expected-error@+1 {{input, weight and output must have as many axes, three at least}}
  %r = nn.conv ins(%x, %w : tensor<8xi8>, tensor<4xi8>) outs(%o : tensor<4xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_drops_an_axis(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6xi32>) {
  // expected-error@+1 {{input, weight and output must have as many axes, three at least}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_strides(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{strides, dilations, pads and kernel must fit 2 spatial axes}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_pads(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{strides, dilations, pads and kernel must fit 2 spatial axes}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_groups(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{3 channels and 4 features do not fit weights of depth 3 in 2 groups}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_features(%x: tensor<1x4x8x8xi8>, %w: tensor<3x2x3x3xi8>, %o: tensor<1x3x6x6xi32>) {
  // expected-error@+1 {{4 channels and 3 features do not fit weights of depth 2 in 2 groups}}
  %r = nn.conv ins(%x, %w : tensor<1x4x8x8xi8>, tensor<3x2x3x3xi8>) outs(%o : tensor<1x3x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 2 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_leaves_its_input(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x7x6xi32>) {
  // expected-error@+1 {{the output's shape must be [1, 4, 6, 6], got [1, 4, 7, 6]}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x7x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_batch(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<2x4x6x6xi32>) {
  // expected-error@+1 {{the output's shape must be [1, 4, 6, 6], got [2, 4, 6, 6]}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<2x4x6x6xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @conv_standing_still(%x: tensor<1x3x8x8xi8>, %w: tensor<4x3x3x3xi8>, %o: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{strides must be positive, got [0, 1]}}
  %r = nn.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<4x3x3x3xi8>) outs(%o : tensor<1x4x6x6xi32>)
    {strides = array<i64: 0, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  func.return
}

// -----

func.func @matmul_of_one(%a: tensor<2x2xi8>, %o: tensor<2x2xi32>) {
  // expected-error@+1 {{expected two inputs and an output of at least two axes}}
  %r = nn.matmul ins(%a : tensor<2x2xi8>) outs(%o : tensor<2x2xi32>)
    {accumulator = i32}
  func.return
}

// -----

func.func @matmul_of_vectors(%a: tensor<4xi8>, %b: tensor<4x5xi8>, %o: tensor<1x5xi32>) {
  // expected-error@+1 {{expected two inputs and an output of at least two axes}}
  %r = nn.matmul ins(%a, %b : tensor<4xi8>, tensor<4x5xi8>) outs(%o : tensor<1x5xi32>)
    {accumulator = i32}
  func.return
}

// -----

func.func @matmul_inner(%a: tensor<2x4xi8>, %b: tensor<4x5xi8>, %o: tensor<2x5xi32>) {
  // expected-error@+1 {{the inner extents 4 and 5 differ}}
  %r = nn.matmul ins(%a, %b : tensor<2x4xi8>, tensor<4x5xi8>) outs(%o : tensor<2x5xi32>)
    {accumulator = i32, transpose_b}
  func.return
}

// -----

func.func @matmul_batches(%a: tensor<3x2x4xi8>, %b: tensor<2x4x5xi8>, %o: tensor<3x2x5xi32>) {
  // expected-error@+1 {{the leading axes [3] and [2] differ}}
  %r = nn.matmul ins(%a, %b : tensor<3x2x4xi8>, tensor<2x4x5xi8>) outs(%o : tensor<3x2x5xi32>)
    {accumulator = i32}
  func.return
}

// -----

func.func @matmul_output(%a: tensor<3x2x4xi8>, %b: tensor<4x5xi8>, %o: tensor<2x5xi32>) {
  // expected-error@+1 {{the output's shape must be [3, 2, 5], got [2, 5]}}
  %r = nn.matmul ins(%a, %b : tensor<3x2x4xi8>, tensor<4x5xi8>) outs(%o : tensor<2x5xi32>)
    {accumulator = i32}
  func.return
}

// -----

func.func @pool_kind(%x: tensor<1x2x6x6xi8>, %o: tensor<1x2x3x3xi8>) {
  // expected-error@+1 {{kind must be one of max, min, sum, product, got 'mean'}}
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>)
    {kind = "mean", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return
}

// -----

func.func @pool_of_nothing(%o: tensor<1x2x3x3xi8>) {
  // expected-error@+1 {{expected one input, got 0}}
  %r = nn.pool ins() outs(%o : tensor<1x2x3x3xi8>)
    {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return
}

// -----

func.func @pool_window(%x: tensor<1x2x6x6xi8>, %o: tensor<1x2x3x3xi8>) {
  // expected-error@+1 {{window, strides, dilations and pads must fit 2 spatial axes}}
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>)
    {kind = "max", window = array<i64: 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return
}

// -----

func.func @pool_empty_window(%x: tensor<1x2x6x6xi8>, %o: tensor<1x2x3x3xi8>) {
  // expected-error@+1 {{window must be positive, got [0, 2]}}
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x2x3x3xi8>)
    {kind = "max", window = array<i64: 0, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return
}

// -----

func.func @pool_channels(%x: tensor<1x2x6x6xi8>, %o: tensor<1x3x3x3xi8>) {
  // expected-error@+1 {{input and output must have the same batch, channels and number of axes}}
  %r = nn.pool ins(%x : tensor<1x2x6x6xi8>) outs(%o : tensor<1x3x3x3xi8>)
    {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  func.return
}

// -----

func.func @reduce_kind(%x: tensor<2x3xi8>, %o: tensor<2xi8>) {
  // expected-error@+1 {{kind must be one of max, min, sum, product, got 'mean'}}
  %r = nn.reduce ins(%x : tensor<2x3xi8>) outs(%o : tensor<2xi8>)
    {kind = "mean", axes = array<i64: 1>, accumulator = i8}
  func.return
}

// -----

func.func @reduce_of_two(%x: tensor<2x3xi8>, %y: tensor<2x3xi8>, %o: tensor<2xi8>) {
  // expected-error@+1 {{expected one input, got 2}}
  %r = nn.reduce ins(%x, %y : tensor<2x3xi8>, tensor<2x3xi8>) outs(%o : tensor<2xi8>)
    {kind = "max", axes = array<i64: 1>, accumulator = i8}
  func.return
}

// -----

func.func @reduce_axis(%x: tensor<2x3xi8>, %o: tensor<2xi8>) {
  // expected-error@+1 {{axes must be distinct ones of 2, got [2]}}
  %r = nn.reduce ins(%x : tensor<2x3xi8>) outs(%o : tensor<2xi8>)
    {kind = "max", axes = array<i64: 2>, accumulator = i8}
  func.return
}

// -----

func.func @reduce_twice(%x: tensor<2x3xi8>, %o: tensor<2xi8>) {
  // expected-error@+1 {{axes must be distinct ones of 2, got [1, 1]}}
  %r = nn.reduce ins(%x : tensor<2x3xi8>) outs(%o : tensor<2xi8>)
    {kind = "max", axes = array<i64: 1, 1>, accumulator = i8}
  func.return
}

// -----

func.func @reduce_output(%x: tensor<2x3xi8>, %o: tensor<3xi8>) {
  // expected-error@+1 {{the output's shape must be [2], got [3]}}
  %r = nn.reduce ins(%x : tensor<2x3xi8>) outs(%o : tensor<3xi8>)
    {kind = "max", axes = array<i64: 1>, accumulator = i8}
  func.return
}

// -----

func.func @softmax_of_a_number(%x: tensor<i8>, %o: tensor<i8>) {
  // expected-error@+1 {{expected an input of one axis at least}}
  %r = nn.ita_max ins(%x : tensor<i8>) outs(%o : tensor<i8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @softmax_output(%x: tensor<2x8xi8>, %o: tensor<2x4xi8>) {
  // expected-error@+1 {{the output's shape must be [2, 8], got [2, 4]}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x4xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @softmax_of_two(%x: tensor<2x8xi8>, %y: tensor<8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{a mask holds i1, got i8}}
  %r = nn.ita_max ins(%x, %y : tensor<2x8xi8>, tensor<8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @softmax_log2(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{log2 must be positive, got 0}}
  %r = nn.int_softmax ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 0 : i64, levels = 256 : i64, accumulator = i64, element = i8}
  func.return
}

// -----

func.func @norm_without_weight(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{expected 2 inputs, got 1}}
  %r = nn.int_rms_norm ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {shift = 16 : i64, low = -128 : i64, high = 127 : i64, accumulator = i64, element = i8}
  func.return
}

// -----

func.func @norm_weight(%x: tensor<2x8xi8>, %w: tensor<7xi32>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{the further inputs must have the shape [8]}}
  %r = nn.int_rms_norm ins(%x, %w : tensor<2x8xi8>, tensor<7xi32>) outs(%o : tensor<2x8xi8>)
    {shift = 16 : i64, low = -128 : i64, high = 127 : i64, accumulator = i64, element = i8}
  func.return
}

// -----

func.func @norm_shift(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{a shift of 64 is outside 0 to 63, the width of i64}}
  %r = nn.int_rms_norm ins(%x, %w : tensor<2x8xi8>, tensor<8xi32>) outs(%o : tensor<2x8xi8>)
    {shift = 64 : i64, low = -128 : i64, high = 127 : i64, accumulator = i64, element = i8}
  func.return
}

// -----

func.func @layer_norm_without_bias(%x: tensor<2x8xi8>, %w: tensor<8xi32>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{expected 3 inputs, got 2}}
  %r = nn.int_layer_norm ins(%x, %w : tensor<2x8xi8>, tensor<8xi32>) outs(%o : tensor<2x8xi8>)
    {shift = 3 : i64, accumulator = i64, element = i8}
  func.return
}

// -----

func.func @element(%x: tensor<2x8xi8>, %o: tensor<2x8xi16>) {
  // expected-error@+1 {{the kernel yields i8, the output holds i16}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi16>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @epilogue_maps(%x: tensor<2x8xi8>, %e0: tensor<8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{1 epilogue operands need as many maps, got 0}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
    epilogue(%e0 : tensor<8xi8>) at [] {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// -----

func.func @epilogue_map_of_too_many_axes(%x: tensor<2x8xi8>, %e0: tensor<8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{an epilogue map must lead from 2 output axes to the operand's 1}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
    epilogue(%e0 : tensor<8xi8>) at [affine_map<(d0, d1, d2) -> (d1)>] {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// -----

func.func @epilogue_map_to_too_many_axes(%x: tensor<2x8xi8>, %e0: tensor<8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{an epilogue map must lead from 2 output axes to the operand's 1}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
    epilogue(%e0 : tensor<8xi8>) at [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// -----

func.func @epilogue_arguments(%x: tensor<2x8xi8>, %e0: tensor<8xi32>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{the epilogue must take i8, i32}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
    epilogue(%e0 : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// -----

func.func @epilogue_result(%x: tensor<2x8xi8>, %e0: tensor<8xi32>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{the kernel yields i32, the output holds i8}}
  %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
    epilogue(%e0 : tensor<8xi32>) at [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%a: i8, %b: i32):
    linalg.yield %b : i32
  }
  func.return
}

// -----

func.func @scalar_operand(%x: i8, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{every operand must be a tensor or a memref}}
  %r = nn.ita_max ins(%x : i8) outs(%o : tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @two_outputs(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{expected one output, got 2}}
  %r:2 = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o, %o : tensor<2x8xi8>, tensor<2x8xi8>)
    {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @result_type(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) {
  // expected-error@+1 {{the result must have the type of the output tensor}}
  %r = "nn.ita_max"(%x, %o) <{levels = 256 : i64, accumulator = i32, element = i8, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<2x8xi8>, tensor<2x8xi8>) -> tensor<2x8xi16>
  func.return
}

// -----

func.func @isqrt(%x: f32) {
  // expected-error@+1 {{f32 should be of base attribute integer_type}}
  %r = nn.isqrt %x : f32
  func.return
}

// -----

func.func @accumulate_on_tensors(%a: tensor<2x4xi8>, %b: tensor<4x5xi8>, %o: tensor<2x5xi32>) {
  // expected-error@+1 {{'accumulate' is for memrefs and kernels without an epilogue}}
  %r = nn.matmul ins(%a, %b : tensor<2x4xi8>, tensor<4x5xi8>) outs(%o : tensor<2x5xi32>) {accumulator = i32, accumulate}
  func.return
}

// -----

func.func @accumulate_with_epilogue(%a: memref<2x4xi8>, %b: memref<4x5xi8>, %o: memref<2x5xi32>) {
  // expected-error@+1 {{'accumulate' is for memrefs and kernels without an epilogue}}
  nn.matmul ins(%a, %b : memref<2x4xi8>, memref<4x5xi8>) outs(%o : memref<2x5xi32>) {accumulator = i32, accumulate}
    epilogue() at [] {
  ^bb0(%s: i32):
    linalg.yield %s : i32
  }
  func.return
}

// -----

func.func @accumulate_softmax(%x: memref<2x8xi8>, %o: memref<2x8xi8>) {
  // expected-error@+1 {{'accumulate' is for kernels that are one reduction}}
  nn.ita_max ins(%x : memref<2x8xi8>) outs(%o : memref<2x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8, accumulate}
  func.return
}

// -----

func.func @accumulate_norm(%x: memref<2x8xi8>, %w: memref<8xi32>, %o: memref<2x8xi8>) {
  // expected-error@+1 {{'accumulate' is for kernels that are one reduction}}
  nn.int_rms_norm ins(%x, %w : memref<2x8xi8>, memref<8xi32>) outs(%o : memref<2x8xi8>)
    {shift = 8 : i64, low = -100 : i64, high = 100 : i64, accumulator = i64, element = i8, accumulate}
  func.return
}

// -----

func.func @accumulate_in_a_narrower_type(%a: memref<2x4xi8>, %b: memref<4x5xi8>, %o: memref<2x5xi8>) {
  // expected-error@+1 {{the kernel yields i32, the output holds i8}}
  nn.matmul ins(%a, %b : memref<2x4xi8>, memref<4x5xi8>) outs(%o : memref<2x5xi8>) {accumulator = i32, accumulate}
  func.return
}

// -----

func.func @mask_of_integers(%x: tensor<4x8xi8>, %valid: tensor<8xi8>, %o: tensor<4x8xi8>) {
  // expected-error@+1 {{a mask holds i1, got i8}}
  %r = nn.ita_max ins(%x, %valid : tensor<4x8xi8>, tensor<8xi8>) outs(%o : tensor<4x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @mask_of_another_length(%x: tensor<4x8xi8>, %valid: tensor<4xi1>, %o: tensor<4x8xi8>) {
  // expected-error@+1 {{the further inputs must have the shape [8]}}
  %r = nn.ita_max ins(%x, %valid : tensor<4x8xi8>, tensor<4xi1>) outs(%o : tensor<4x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @summands_of_two_shapes(%x: tensor<8x32xi8>, %y: tensor<8x1xi8>, %o: tensor<8x32xi32>) {
  // expected-error@+1 {{expected inputs of one shape, got [8, 32], [8, 1]}}
  %r = nn.add ins(%x, %y : tensor<8x32xi8>, tensor<8x1xi8>) outs(%o : tensor<8x32xi32>) {accumulator = i32}
  func.return
}

// -----

func.func @f(%x: tensor<4xi8>, %e: tensor<4xi8>) {
  // expected-error@+1 {{expected integers, got i8 and sums of f64}}
  %y = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = f64, element = i8}
  func.return
}
