// RUN: opt-tool %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-error@+1 {{axis must be one of 2, got 2}}
  %a = nn.softmax ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {axis = 2 : i64, accumulator = f32, element = f32}
  func.return %a : tensor<2x4xf32>
}

// -----

func.func @epsilon(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-error@+1 {{epsilon must not be negative}}
  %a = nn.rms_norm ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {epsilon = -1.0 : f32, accumulator = f32, element = f32}
  func.return %a : tensor<2x4xf32>
}

// -----

func.func @vectors(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-error@+1 {{expected 1 or 2 inputs, got 3}}
  %a = nn.rms_norm ins(%x, %w, %w : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<2x4xf32>) {epsilon = 1.0 : f32, accumulator = f32, element = f32}
  func.return %a : tensor<2x4xf32>
}
