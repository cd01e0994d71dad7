// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_padded.toml},unfold-windows | filecheck %s

// Channels that fill blocks already, points apart, channels first, and padding along the rows.
// CHECK-NOT: memref.reinterpret_cast
// CHECK-NOT: _rows
memref.global "private" constant @full : memref<16x3x3x16xi8> = dense<1>
memref.global "private" constant @few : memref<16x3x3x3xi8> = dense<1>
func.func @others(%x: memref<1x9x9x16xi8>, %u: memref<1x9x9x3xi8>, %v: memref<1x3x9x9xi8>, %a: memref<1x7x7x16xi32>, %b: memref<1x5x5x16xi32>,
                  %c: memref<1x16x7x7xi32>, %d: memref<1x7x9x16xi32>) {
  %full = memref.get_global @full : memref<16x3x3x16xi8>
  %few = memref.get_global @few : memref<16x3x3x3xi8>
  nn.conv ins(%x, %full : memref<1x9x9x16xi8>, memref<16x3x3x16xi8>) outs(%a : memref<1x7x7x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%u, %few : memref<1x9x9x3xi8>, memref<16x3x3x3xi8>) outs(%b : memref<1x5x5x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%v, %few : memref<1x3x9x9xi8>, memref<16x3x3x3xi8>) outs(%c : memref<1x16x7x7xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32}
  nn.conv ins(%u, %few : memref<1x9x9x3xi8>, memref<16x3x3x3xi8>) outs(%d : memref<1x7x9x16xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}
