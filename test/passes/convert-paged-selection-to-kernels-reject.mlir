// RUN: opt-tool %s -p convert-paged-selection-to-kernels --verify-diagnostics

func.func @network(%q: tensor<1x4x8xf32>, %d: tensor<2x4x2x8xf32>) -> tensor<1x4x4xf32> {
  // expected-error@+1 {{paged.score is on tensors}}
  %s = paged.score %q against %d : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
  func.return %s : tensor<1x4x4xf32>
}
