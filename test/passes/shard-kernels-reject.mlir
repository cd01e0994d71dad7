// RUN: not opt-tool %s -p attach-machine{target=host},shard-kernels 2>&1 | filecheck %s

// RUN: not opt-tool %s -p attach-machine{target=pim/2x2},shard-kernels{over=2,4} 2>&1 | filecheck %s --check-prefix=OVER
// OVER: 'array' has no such instances
// OVER: expected: numbers of instances up to 2, 2

// CHECK: the machine 'host' has no engine with instances in a level of as many
// CHECK: expected: an engine and its level with one count
func.func @rows(%x: memref<32x16xf32>, %y: memref<32x16xf32> {tilewright.output}) {
  nn.softmax ins(%x : memref<32x16xf32>) outs(%y : memref<32x16xf32>) {accumulator = f32, element = f32}
  func.return
}
