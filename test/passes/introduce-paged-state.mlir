// RUN: opt-tool %s -p 'introduce-paged-state{context=64 page-length=16}' | filecheck %s

// Two query heads share each of one KV head's rows; the mask hides later rows alone.
// CHECK:       paged.pool @kv {layers = 1 : i64, heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.35355338454246521 : f64}
// CHECK-LABEL: func.func @network(
// CHECK-NOT:     ml_program
// CHECK:         paged.begin @kv at %{{.*}} tokens %{{.*}} : tensor<1xi32>, tensor<1x1xui32>
// CHECK:         %[[K:.*]] = onnx.Reshape(%{{.*}}, %{{.*}}) : (tensor<1x1x1x8xf32>, tensor<3xi64>) -> tensor<1x1x8xf32>
// CHECK:         %[[V:.*]] = onnx.Reshape(%{{.*}}, %{{.*}}) : (tensor<1x1x1x8xf32>, tensor<3xi64>) -> tensor<1x1x8xf32>
// CHECK:         %[[Q:.*]] = onnx.Reshape(%{{.*}}, %{{.*}}) : (tensor<1x1x2x8xf32>, tensor<3xi64>) -> tensor<1x2x8xf32>
// CHECK-NEXT:    paged.append @kv layer 0 keys %[[K]] values %[[V]] : tensor<1x1x8xf32>, tensor<1x1x8xf32>
// CHECK-NEXT:    %[[O:.*]] = paged.attend @kv layer 0 queries %[[Q]] : tensor<1x2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NOT:     onnx.Softmax
// CHECK:         paged.commit @kv
// CHECK-NEXT:    func.return
func.func @network(%ids: tensor<1x1xi64> {onnx.name = "input_ids"}, %past_k: tensor<1x1x3x8xf32> {onnx.name = "past_k"}, %past_v: tensor<1x1x3x8xf32> {onnx.name = "past_v"}, %position_ids: tensor<1x1xi64> {onnx.name = "position_ids"}) -> (tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %words = onnx.Constant() {value = dense<0.5> : tensor<9x16xf32>} : () -> tensor<9x16xf32>
  %four = onnx.Constant() {value = dense<[1, 1, 2, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %one = onnx.Constant() {value = dense<[1, 1, 1, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %w = onnx.Constant() {value = dense<0.25> : tensor<16x8xf32>} : () -> tensor<16x8xf32>
  %shared = onnx.Constant() {value = dense<[1, 2, 4, 8]> : tensor<4xi64>} : () -> tensor<4xi64>
  %x = onnx.Gather(%words, %ids) : (tensor<9x16xf32>, tensor<1x1xi64>) -> tensor<1x1x16xf32>
  %qs = onnx.Reshape(%x, %four) : (tensor<1x1x16xf32>, tensor<4xi64>) -> tensor<1x1x2x8xf32>
  %q = onnx.Transpose(%qs) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x1x2x8xf32>) -> tensor<1x2x1x8xf32>
  %kx = onnx.MatMul(%x, %w) : (tensor<1x1x16xf32>, tensor<16x8xf32>) -> tensor<1x1x8xf32>
  %k = onnx.Reshape(%kx, %one) : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x1x8xf32>
  %present_k = onnx.Concat(%past_k, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %present_v = onnx.Concat(%past_v, %k) {axis = 2 : si64} : (tensor<1x1x3x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x4x8xf32>
  %keys = onnx.Expand(%present_k, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %values = onnx.Expand(%present_v, %shared) : (tensor<1x1x4x8xf32>, tensor<4xi64>) -> tensor<1x2x4x8xf32>
  %t = onnx.Transpose(%keys) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x8xf32>) -> tensor<1x2x8x4xf32>
  %s = onnx.MatMul(%q, %t) : (tensor<1x2x1x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32>
  %scale = onnx.Constant() {value = dense<0.353553385> : tensor<f32>} : () -> tensor<f32>
  %a = onnx.Mul(%s, %scale) : (tensor<1x2x1x4xf32>, tensor<f32>) -> tensor<1x2x1x4xf32>
  %p = onnx.Softmax(%a) {axis = -1 : si64} : (tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
  %y = onnx.MatMul(%p, %values) : (tensor<1x2x1x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x1x8xf32>
  func.return %y, %present_k, %present_v : tensor<1x2x1x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}
