// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},collapse-pixels | filecheck %s

// Lines of whole blocks, windows of several points, lines with gaps, and an epilogue that reads by place.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.reinterpret_cast
func.func @others(%x: memref<1x7x16x16xi8>, %w: memref<32x1x1x16xi8>, %y: memref<1x7x16x32xi32>, %u: memref<1x7x7x16xi8>, %v: memref<32x1x3x16xi8>,
                  %a: memref<1x7x5x32xi32>, %g: memref<1x7x7x16xi8, strided<[1024, 128, 16, 1]>>, %b: memref<1x7x7x32xi32>, %s: memref<7x7xi32>) {
  nn.conv ins(%x, %w : memref<1x7x16x16xi8>, memref<32x1x1x16xi8>) outs(%y : memref<1x7x16x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%u, %v : memref<1x7x7x16xi8>, memref<32x1x3x16xi8>) outs(%a : memref<1x7x5x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%g, %w : memref<1x7x7x16xi8, strided<[1024, 128, 16, 1]>>, memref<32x1x1x16xi8>) outs(%b : memref<1x7x7x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%u, %w : memref<1x7x7x16xi8>, memref<32x1x1x16xi8>) outs(%b : memref<1x7x7x32xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
    epilogue(%s : memref<7x7xi32>) at [affine_map<(d0, d1, d2, d3) -> (d1, d2)>] {
  ^bb0(%sum: i32, %summand: i32):
    %0 = arith.addi %sum, %summand : i32
    linalg.yield %0 : i32
  }
  func.return
}
