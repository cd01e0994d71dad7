// RUN: not opt-tool %s -p convert-linalg-to-memref-stream 2>&1 | filecheck %s

// CHECK: pass 'convert-linalg-to-memref-stream' of xDSL does not support this op
// CHECK: NotImplementedError: converting linalg.generic with results not supported
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
