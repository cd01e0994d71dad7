// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x: tensor<2x12x12x30xi8>, %w: tensor<40x384xi8>, %s: tensor<40xi8>, %b: tensor<40xi32>,
                   %o: tensor<2x12x11x40xi8>) -> tensor<2x12x11x40xi8> {
  // CHECK-NEXT: %y = npu.conv ins(%x, %w : tensor<2x12x12x30xi8>, tensor<40x384xi8>) outs(%o : tensor<2x12x11x40xi8>) {kind = "dense", bits = 6 : i64, offset = -32 : i64, pads = array<i64: 2, 1, 0, 0>, pad_value = 128 : i64, unsigned = array<i64: 0>} epilogue(%s, %b : tensor<40xi8>, tensor<40xi32>) at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  %y = npu.conv ins(%x, %w : tensor<2x12x12x30xi8>, tensor<40x384xi8>) outs(%o : tensor<2x12x11x40xi8>)
      {kind = "dense", bits = 6 : i64, offset = -32 : i64, pads = array<i64: 2, 1, 0, 0>, pad_value = 128 : i64, unsigned = array<i64: 0>}
      epilogue(%s, %b : tensor<40xi8>, tensor<40xi32>)
      at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  // CHECK-NEXT: ^bb0(%sum: i32, %scale: i8, %bias: i32):
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    // CHECK-NEXT: %r = npu.requantize %sum, %scale, %bias shift 9 clip 0 to 255 : i32, i8, i32 -> i8
    %r = npu.requantize %sum, %scale, %bias shift 9 clip 0 to 255 : i32, i8, i32 -> i8
    linalg.yield %r : i8
  }
  func.return %y : tensor<2x12x11x40xi8>
}

// CHECK-LABEL: func.func @sums
func.func @sums(%x: memref<1x6x6x57xi8, "L1">, %w: memref<3x64xi8, "WMEM">, %o: memref<1x4x4x57xi32, "L1">,
                %a: memref<37x64xi8, "L1">, %v: memref<8x64xi8, "WMEM">, %p: memref<37x8xi32, "L1">) {
  // CHECK-NEXT: npu.conv ins(%x, %w : memref<1x6x6x57xi8, "L1">, memref<3x64xi8, "WMEM">) outs(%o : memref<1x4x4x57xi32, "L1">) {kind = "depthwise", bits = 2 : i64, offset = -2 : i64, pads = array<i64: 0, 0, 0, 0>}
  npu.conv ins(%x, %w : memref<1x6x6x57xi8, "L1">, memref<3x64xi8, "WMEM">) outs(%o : memref<1x4x4x57xi32, "L1">)
      {kind = "depthwise", bits = 2 : i64, offset = -2 : i64, pads = array<i64: 0, 0, 0, 0>}
  // CHECK-NEXT: npu.matmul ins(%a, %v : memref<37x64xi8, "L1">, memref<8x64xi8, "WMEM">) outs(%p : memref<37x8xi32, "L1">) {bits = 8 : i64, offset = -128 : i64, engine = "npu"}
  npu.matmul ins(%a, %v : memref<37x64xi8, "L1">, memref<8x64xi8, "WMEM">) outs(%p : memref<37x8xi32, "L1">)
      {bits = 8 : i64, offset = -128 : i64, engine = "npu"}
  func.return
}

// CHECK-LABEL: func.func @registers
func.func @registers(%x: memref<1x6x6x32xi8, "L1">) {
  // CHECK-NEXT: %a = npu.address %x : memref<1x6x6x32xi8, "L1">
  %a = npu.address %x : memref<1x6x6x32xi8, "L1">
  // CHECK-NEXT: %job = npu.acquire
  %job = npu.acquire
  // CHECK-NEXT: npu.write %a {index = 1 : i64}
  npu.write %a {index = 1 : i64}
  // CHECK-NEXT: npu.trigger
  npu.trigger
  // CHECK-NEXT: npu.wait
  npu.wait
  func.return
}
