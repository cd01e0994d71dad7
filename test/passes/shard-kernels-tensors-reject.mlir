// RUN: opt-tool %s --split-input-file --verify-diagnostics -p attach-machine{target=pim/2x2},shard-kernels

func.func @rows(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{'nn.softmax' works on tensors; it needs buffers}}
  %y = nn.softmax ins(%x : tensor<32x16xf32>) outs(%x : tensor<32x16xf32>) {accumulator = f32, element = f32}
  func.return %y : tensor<32x16xf32>
}
