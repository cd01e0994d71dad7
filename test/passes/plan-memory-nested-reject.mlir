// RUN: opt-tool %s --verify-diagnostics -p 'attach-machine{target=%S/../machines/three_level.toml},plan-memory{level-bytes=4096},verify-memory'

// Half of the columns with their border are as many as all: where tiles are cut once more, such a tile could not be told
// from the whole image, and is none that a plan has.

func.func @network(%x: memref<1x4x4x512xi8>, %w: memref<4x3x3x512xi8>, %y: memref<1x4x4x4xi32>) {
  // expected-error @+1 {{'nn.conv' cannot be cut into tiles that 'cluster' runs}}
  nn.conv ins(%x, %w : memref<1x4x4x512xi8>, memref<4x3x3x512xi8>) outs(%y : memref<1x4x4x4xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last, unsigned = array<i64: 0>, hier.sizes = array<i64: 1, 1, 4, 4, 2, 512, 3, 3>}
  func.return
}
