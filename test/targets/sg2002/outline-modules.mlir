// RUN: opt-tool %s -p 'outline-modules{modules=embed+qkv+ffn+head}' | filecheck %s
// RUN: opt-tool %s -p 'outline-modules{modules=ffn engine=npu}' | filecheck %s --check-prefix=ONE

// Tables and rotations are one module; each layer has two, with the residual stream between them.
// CHECK:      func.func private @network_embed(%ids: tensor<1x1xi64>, %position: tensor<1xi32>) -> (tensor<1x1x8xf32>, tensor<1xf32>)
// CHECK-SAME:   attributes {engine = "tpu", sg2002.module = "embed"}
// CHECK:      func.func private @network_qkv0(%x: tensor<1x1x8xf32>, %rotation: tensor<1xf32>) -> (tensor<1x1x8xf32>, tensor<1x1x8xf32>)
// CHECK:        onnx.Neg
// CHECK-NEXT:   onnx.Mul
// CHECK:      func.func private @network_ffn0(%a: tensor<1x1x8xf32>, %x: tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
// CHECK-NEXT:   %weight = onnx.Constant
// CHECK-NEXT:   onnx.MatMul
// CHECK-NEXT:   onnx.Add
// CHECK:      func.func private @network_qkv1
// CHECK:      func.func private @network_ffn1
// CHECK:      func.func private @network_head(%z: tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
// CHECK-NEXT:   onnx.Neg
// CHECK:      func.func @network(
// CHECK:        func.call @network_embed
// CHECK-NEXT:   func.call @network_qkv0
// CHECK:        paged.begin
// CHECK-NEXT:   paged.append @kv layer 0
// CHECK-NEXT:   paged.attend @kv layer 0
// CHECK-NEXT:   func.call @network_ffn0
// CHECK-NEXT:   func.call @network_qkv1
// CHECK:        paged.append @kv layer 1
// CHECK:        func.call @network_ffn1
// CHECK-NEXT:   func.call @network_head

// ONE:          func.func private @network_ffn0({{.*}} attributes {engine = "npu", sg2002.module = "ffn0"}
// ONE-NOT:      @network_qkv
// ONE:          func.func private @network_ffn1
// ONE:          func.func @network(
// ONE-NOT:      onnx.MatMul
// ONE:          func.call @network_ffn1
builtin.module {
  paged.pool @kv {layers = 2 : i64, heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, page_length = 4 : i64, context = 16 : i64, scale = 1.0 : f64}
  func.func @network(%ids: tensor<1x1xi64> {onnx.name = "ids"}, %position: tensor<1xi32> {onnx.name = "position"}) -> (tensor<1x1x8xf32> {onnx.name = "logits"}) {
    %token = onnx.Cast(%ids) {to = 12 : si64} : (tensor<1x1xi64>) -> tensor<1x1xui32>
    paged.begin @kv at %position tokens %token : tensor<1xi32>, tensor<1x1xui32>
    %table = onnx.Constant() {value = dense<1.0> : tensor<4x8xf32>} : () -> tensor<4x8xf32>
    %weight = onnx.Constant() {value = dense<2.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
    %x = onnx.Gather(%table, %ids) : (tensor<4x8xf32>, tensor<1x1xi64>) -> tensor<1x1x8xf32>
    %k = onnx.Neg(%x) : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %rotation = onnx.Cast(%position) {to = 1 : si64} : (tensor<1xi32>) -> tensor<1xf32>
    %q = onnx.Mul(%k, %rotation) : (tensor<1x1x8xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
    paged.append @kv layer 0 keys %k values %k : tensor<1x1x8xf32>, tensor<1x1x8xf32>
    %a = paged.attend @kv layer 0 queries %q : tensor<1x1x8xf32> -> tensor<1x1x8xf32>
    %o = onnx.MatMul(%a, %weight) : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    %y = onnx.Add(%x, %o) : (tensor<1x1x8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %l = onnx.Neg(%y) : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %r = onnx.Mul(%l, %rotation) : (tensor<1x1x8xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
    paged.append @kv layer 1 keys %l values %l : tensor<1x1x8xf32>, tensor<1x1x8xf32>
    %b = paged.attend @kv layer 1 queries %r : tensor<1x1x8xf32> -> tensor<1x1x8xf32>
    %p = onnx.MatMul(%b, %weight) : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    %z = onnx.Add(%y, %p) : (tensor<1x1x8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %logits = onnx.Neg(%z) : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    paged.commit @kv
    func.return %logits : tensor<1x1x8xf32>
  }
}
