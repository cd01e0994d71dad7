// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @f(%x: memref<8x13xi8>, %w: memref<5x8xi8>, %o: memref<8x5xi32>) {
  // expected-error @+1 {{packed weights have 2 or 4 bits, not 8}}
  nn.matmul ins(%x, %w : memref<8x13xi8>, memref<5x8xi8>) outs(%o : memref<8x5xi32>) {accumulator = i32, transpose_b, weight_bits = 8 : i64}
  func.return
}

// -----

func.func @f(%x: memref<8x13xi8>, %w: memref<5x8xi8>, %o: memref<8x5xi32>) {
  // expected-error @+1 {{13 weights of 2 bits take 4 bytes, got 8}}
  nn.matmul ins(%x, %w : memref<8x13xi8>, memref<5x8xi8>) outs(%o : memref<8x5xi32>) {accumulator = i32, transpose_b, weight_bits = 2 : i64}
  func.return
}

// -----

func.func @f(%x: memref<8x8xi8>, %w: memref<8x4xi8>, %o: memref<8x4xi32>) {
  // expected-error @+1 {{packed weights are bytes, and need 'transpose_b'}}
  nn.matmul ins(%x, %w : memref<8x8xi8>, memref<8x4xi8>) outs(%o : memref<8x4xi32>) {accumulator = i32, weight_bits = 4 : i64}
  func.return
}

// -----

func.func @f(%x: memref<1x8x9xi8>, %w: memref<4x8x4xi8>, %o: memref<1x4x2xi32>) {
  // expected-error @+1 {{packed weights are bytes, and need 'channels_last'}}
  nn.conv ins(%x, %w : memref<1x8x9xi8>, memref<4x8x4xi8>) outs(%o : memref<1x4x2xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32,
     weight_bits = 4 : i64}
  func.return
}

// -----

func.func @f(%x: memref<1x9x8xi8>, %w: memref<4x8x8xi8>, %o: memref<1x2x4xi32>) {
  // expected-error @+1 {{8 weights of 4 bits take 4 bytes, got 8}}
  nn.conv ins(%x, %w : memref<1x9x8xi8>, memref<4x8x8xi8>) outs(%o : memref<1x2x4xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 1 : i64, accumulator = i32,
     channels_last, weight_bits = 4 : i64}
  func.return
}

// -----

func.func @f(%x: memref<8x13xi8>, %w: memref<5x13xi8>, %o: memref<8x5xi32>) {
  // expected-error @+1 {{'narrow_input' needs 'weight_bits'}}
  nn.matmul ins(%x, %w : memref<8x13xi8>, memref<5x13xi8>) outs(%o : memref<8x5xi32>) {accumulator = i32, transpose_b, narrow_input}
  func.return
}

// -----

func.func @f(%x: memref<8x13xi16>, %w: memref<5x8xi8>, %o: memref<8x5xi32>) {
  // expected-error @+1 {{'narrow_input' is for bytes}}
  nn.matmul ins(%x, %w : memref<8x13xi16>, memref<5x8xi8>) outs(%o : memref<8x5xi32>)
    {accumulator = i32, transpose_b, weight_bits = 4 : i64, narrow_input}
  func.return
}

// -----

func.func @f(%x: memref<1x9x16xi8>, %w: memref<4x8x4xi8>, %o: memref<1x2x4xi32>) {
  // expected-error @+1 {{'narrow_input' is for one group}}
  nn.conv ins(%x, %w : memref<1x9x16xi8>, memref<4x8x4xi8>) outs(%o : memref<1x2x4xi32>)
    {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, groups = 2 : i64, accumulator = i32,
     channels_last, weight_bits = 4 : i64, narrow_input}
  func.return
}
