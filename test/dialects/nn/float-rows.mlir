// RUN: opt-tool %s | opt-tool | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK:         nn.softmax ins(%x : tensor<2x3x4xf32>) outs({{.*}}) {accumulator = f32, element = f32}
// CHECK:         nn.softmax ins({{.*}}) outs({{.*}}) {axis = 1 : i64, log, accumulator = f32, element = f32}
// CHECK:         nn.layer_norm ins({{.*}}, %w, %w : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:         nn.rms_norm ins({{.*}}, %w : tensor<2x3x4xf32>, tensor<4xf32>)
func.func @rows(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %a = nn.softmax ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {accumulator = f32, element = f32}
  %b = nn.softmax ins(%a : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {axis = 1 : i64, log, accumulator = f32, element = f32}
  %c = nn.layer_norm ins(%b, %w, %w : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x3x4xf32>) {epsilon = 1.0e-05 : f32, accumulator = f32, element = f32}
  %d = nn.rms_norm ins(%c, %w : tensor<2x3x4xf32>, tensor<4xf32>) outs(%e : tensor<2x3x4xf32>) {epsilon = 1.0e-05 : f32, accumulator = f32, element = f32}
  func.return %d : tensor<2x3x4xf32>
}
