// RUN: opt-tool %s --target gemmini -p attach-machine{target=gemmini},split-pools | filecheck %s
// RUN: opt-tool %s --target gemmini/fp32 -p attach-machine{target=gemmini/fp32},split-pools | filecheck %s

// Windows of 4, windows that are no squares, padding, pixels apart, channels first, 24 channels.
// CHECK-LABEL: func.func @pools
// CHECK-NOT: nn.add
func.func @pools(%x: memref<1x9x9x32xi8>, %a: memref<1x3x3x32xi8>, %b: memref<1x4x4x32xi8>, %c: memref<1x5x5x32xi8>, %d: memref<1x7x7x32xi8>,
                 %e: memref<1x9x4x15xi8>, %n: memref<1x9x9x24xi8>, %f: memref<1x4x4x24xi8>) {
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%a : memref<1x3x3x32xi8>)
    {kind = "max", window = array<i64: 4, 4>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%b : memref<1x4x4x32xi8>)
    {kind = "max", window = array<i64: 3, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%c : memref<1x5x5x32xi8>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, accumulator = i8, channels_last}
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%d : memref<1x7x7x32xi8>)
    {kind = "max", window = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  nn.pool ins(%x : memref<1x9x9x32xi8>) outs(%e : memref<1x9x4x15xi8>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
  nn.pool ins(%n : memref<1x9x9x24xi8>) outs(%f : memref<1x4x4x24xi8>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last}
  func.return
}
