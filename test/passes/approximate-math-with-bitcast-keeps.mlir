// RUN: opt-tool %s -p approximate-math-with-bitcast > %t && opt-tool %s | diff - %t

// Types with too few bits, and tensors.

func.func @f(%x: bf16, %t: tensor<4xf32>, %y: f32) -> (bf16, tensor<4xf32>, f32) {
  %0 = math.exp %x : bf16
  %1 = math.log %t : tensor<4xf32>
  %2 = math.sqrt %y : f32
  func.return %0, %1, %2 : bf16, tensor<4xf32>, f32
}
