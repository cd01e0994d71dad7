// RUN: not opt-tool %s -p 'outline-modules{modules=qkv+fnn}' 2>&1 | filecheck %s
// RUN: opt-tool %s -p 'outline-modules{modules=qkv+ffn}' | filecheck %s --check-prefix=KEEP

// CHECK: error: [outline-modules, pass 1 of 1] a decoder has no modules 'fnn'
// CHECK: expected:   embed or qkv or ffn or head, joined by +
// CHECK: remedy:     did you mean 'ffn'?

// A function without a step of a paged store has no modules.
// KEEP-NOT: private
// KEEP: onnx.Neg
func.func @network(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.Neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
