// RUN: opt-tool %s -p attach-machine{target=gemmini},map-engines,plan-memory,verify-memory{plain=false},allocate-static,expand-grid,pipeline-dma,verify-levels,verify-memory --interpret-each
// RUN: opt-tool %s -p attach-machine{target=gemmini},map-engines,plan-memory | filecheck %s

// Loads bring the padding of whole axes too: the array's convolutions have none. Of the second, whose windows are apart, a
// tile is as large as the image, and begins before it.

// CHECK-LABEL: func.func @network
// CHECK:         ins(%{{.*}} = %x[0, -1, -1, 0] [1, 11, 9, 16] in "SPAD"
// CHECK-SAME:      fill 0 : i8
// CHECK:         nn.conv
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
// CHECK:         ins(%{{.*}} = %z[0, -1, -1, 0] [1, 6, 6, 16] in "SPAD"
// CHECK-SAME:      fill 0 : i8
// CHECK:         nn.conv
// CHECK-SAME:      pads = array<i64: 0, 0, 0, 0>
func.func @network(%x: memref<1x9x7x16xi8>, %w: memref<16x3x3x16xi8>, %y: memref<1x9x7x16xi32>,
                   %z: memref<1x6x6x16xi8>, %v: memref<16x2x2x16xi8>, %u: memref<1x2x2x16xi32>) {
  nn.conv ins(%x, %w : memref<1x9x7x16xi8>, memref<16x3x3x16xi8>) outs(%y : memref<1x9x7x16xi32>)
    {hier.sizes = array<i64: 1, 1, 16, 9, 7, 16, 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  nn.conv ins(%z, %v : memref<1x6x6x16xi8>, memref<16x2x2x16xi8>) outs(%u : memref<1x2x2x16xi32>)
    {hier.sizes = array<i64: 1, 1, 16, 2, 2, 16, 2, 2>, strides = array<i64: 4, 4>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last}
  func.return
}
