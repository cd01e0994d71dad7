// RUN: opt-tool %s -p verify-memory | filecheck %s

// Along a loop without iterations nothing is accessed.
// CHECK-LABEL: func.func @none
func.func @none(%x: memref<2x0xf32>, %w: memref<0x3xf32>, %y: memref<2x3xf32> {tilewright.output}) {
  nn.matmul ins(%x, %w : memref<2x0xf32>, memref<0x3xf32>) outs(%y : memref<2x3xf32>) {accumulator = f32}
  func.return
}
