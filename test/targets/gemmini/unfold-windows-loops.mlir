// RUN: opt-tool %s --target gemmini/loops -p attach-machine{target=gemmini/loops},unfold-windows,map-engines,permute-operands,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini | filecheck %s

// Loops have rows of whole pixels: 18 columns are 6 pixels of 3 columns, each a window's row further.
// CHECK-LABEL: func.func private @conv_0(%in0: memref<1x6x5x120xi8, strided<[3240, 540, 90, 1], offset: ?>>
// CHECK:         gemmini.config_loop_conv {{.*}} {x_row = array<i64: 1, 1>, x_pixel = array<i64: 2, 1>

// 17 columns are no whole pixels: windows stay.
// CHECK-LABEL: func.func private @conv_1(%in0: memref<1x6x17x30xi8>
// CHECK:         gemmini.config_loop_conv {{.*}} {x_row = array<i64: 1, 1>, x_pixel = array<i64: 2, 1>

// Of one column no pixel has a neighbour: its rows are as far apart as pixels.
// CHECK-LABEL: func.func private @conv_2(%in0: memref<1x6x1x120xi8, strided<[900, 150, 90, 1], offset: ?>>
// CHECK:         gemmini.config_loop_conv {{.*}} {x_row = array<i64: 1, 1>, x_pixel = array<i64: 1, 1>
memref.global "private" constant @w : memref<22x4x4x30xi8> = dense<1>
func.func @network(%a: memref<1x6x18x30xi8>, %b: memref<1x6x17x30xi8>, %c: memref<1x6x5x30xi8>, %x: memref<1x1x5x22xi8>, %y: memref<1x1x5x22xi8>, %z: memref<1x1x1x22xi8>) {
  %w = memref.get_global @w : memref<22x4x4x30xi8>
  nn.conv ins(%a, %w : memref<1x6x18x30xi8>, memref<22x4x4x30xi8>) outs(%x : memref<1x1x5x22xi8>) {strides = array<i64: 3, 3>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} epilogue() at [] {
  ^bb0(%sum: i32):
    %k = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %k zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  nn.conv ins(%b, %w : memref<1x6x17x30xi8>, memref<22x4x4x30xi8>) outs(%y : memref<1x1x5x22xi8>) {strides = array<i64: 3, 3>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} epilogue() at [] {
  ^bb0(%sum: i32):
    %k = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %k zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  nn.conv ins(%c, %w : memref<1x6x5x30xi8>, memref<22x4x4x30xi8>) outs(%z : memref<1x1x1x22xi8>) {strides = array<i64: 3, 3>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, channels_last} epilogue() at [] {
  ^bb0(%sum: i32):
    %k = arith.constant 0.01 : f32
    %t = quant.rescale %sum, %k zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  }
  func.return
}
