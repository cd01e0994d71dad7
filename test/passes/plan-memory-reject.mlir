// RUN: opt-tool %s --split-input-file --verify-diagnostics -p "attach-machine{target=%S/../machines/two_level.toml},plan-memory{level-bytes=256}"

func.func @too_small(%x: memref<64x512xi8>, %y: memref<64x512xi8>) {
  // expected-error @+1 {{no tiling of 'nn.ita_max' fits L1: 768 bytes short}}
  nn.ita_max ins(%x : memref<64x512xi8>) outs(%y : memref<64x512xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @kept_too_large(%a: memref<8x16xi8>, %b: memref<16x64xi8>, %c: memref<64x4xi8>, %o: memref<8x4xi32>) {
  %t = memref.alloc() {hier.keep = true} : memref<8x64xi8>
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x64xi8>) outs(%t : memref<8x64xi8>) {accumulator = i8}
  // expected-error @+1 {{no tiling of 'nn.matmul' fits L1: 280 bytes short}}
  nn.matmul ins(%t, %c : memref<8x64xi8>, memref<64x4xi8>) outs(%o : memref<8x4xi32>) {accumulator = i32}
  func.return
}

// -----

func.func @wrong_sizes(%a: memref<8x16xi8>, %b: memref<16x4xi8>, %o: memref<8x4xi32>) {
  // expected-error @+1 {{the hint hier.sizes of 'nn.matmul' is malformed}}
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x4xi8>) outs(%o : memref<8x4xi32>)
    {accumulator = i32, hier.sizes = array<i64: 9, 4, 16>}
  func.return
}

// -----

func.func @wrong_stages(%a: memref<8x16xi8>, %b: memref<16x4xi8>, %o: memref<8x4xi32>) {
  // expected-error @+1 {{the hint hier.stages of 'nn.matmul' is malformed}}
  nn.matmul ins(%a, %b : memref<8x16xi8>, memref<16x4xi8>) outs(%o : memref<8x4xi32>)
    {accumulator = i32, hier.stages = 4 : i64}
  func.return
}

// -----

func.func @kept_for_others(%x: memref<4xi8>, %y: memref<4xi8>) {
  // expected-error @+1 {{a buffer cannot be resident in L1: ops other than its kernels use it}}
  %t = memref.alloc() {hier.keep = true} : memref<4xi8>
  memref.copy %x, %t : memref<4xi8> to memref<4xi8>
  nn.ita_max ins(%t : memref<4xi8>) outs(%y : memref<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return
}

// -----

func.func @tensors(%x: tensor<8x8xi8>) -> tensor<8x8xi8> {
  // expected-error @+1 {{'nn.ita_max' works on tensors; it needs buffers}}
  %y = nn.ita_max ins(%x : tensor<8x8xi8>) outs(%x : tensor<8x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %y : tensor<8x8xi8>
}

// -----

// expected-error @unknown {{a region is not a single block in pass 'plan-memory'}}
func.func @unstructured(%x: memref<8x8xi8>) {
  nn.ita_max ins(%x : memref<8x8xi8>) outs(%x : memref<8x8xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  cf.br ^end
^end:
  func.return
}
