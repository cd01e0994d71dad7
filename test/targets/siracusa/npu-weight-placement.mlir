// RUN: opt-tool %s -p 'attach-machine{target=siracusa},place-weights' | filecheck %s

// The weight memory feeds products of all channels as fast as L1; the taps of a depthwise window come more slowly from
// it than they are fetched, and stay where they are.

// CHECK: memref.global {{.*}}@pointwise : memref<64x64xi8, "WMEM">
// CHECK: memref.global {{.*}}@depthwise : memref<3x256xi8>
memref.global "private" constant @pointwise : memref<64x64xi8> = dense<1>
memref.global "private" constant @depthwise : memref<3x256xi8> = dense<1>
func.func @network(%x: memref<1x25x5x64xi8>, %y: memref<1x25x5x64xi32> {tilewright.output}, %z: memref<1x25x5x64xi32> {tilewright.output}) {
  // CHECK: memref.get_global @pointwise : memref<64x64xi8, "WMEM">
  // CHECK: memref.get_global @depthwise : memref<3x256xi8>
  %w = memref.get_global @pointwise : memref<64x64xi8>
  %v = memref.get_global @depthwise : memref<3x256xi8>
  npu.conv ins(%x, %w : memref<1x25x5x64xi8>, memref<64x64xi8>) outs(%y : memref<1x25x5x64xi32>) {bits = 8 : i64, offset = -128 : i64, kind = "pointwise", pads = array<i64: 0, 0, 0, 0>, engine = "npu"}
  npu.conv ins(%x, %v : memref<1x25x5x64xi8>, memref<3x256xi8>) outs(%z : memref<1x25x5x64xi32>) {bits = 8 : i64, offset = -128 : i64, kind = "depthwise", pads = array<i64: 1, 1, 1, 1>, engine = "npu"}
  func.return
}
