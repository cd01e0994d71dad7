// RUN: opt-tool %s -p 'expand-paged-attend{budget=3}' --split-input-file --verify-diagnostics
// RUN: not opt-tool %S/expand-paged-attend.mlir -p 'expand-paged-attend{budget=2 sinks=1 recent=1}' 2>&1 | filecheck %s

// CHECK: the budget must be sinks + recent + 1 pages at least, not 2
paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 128 : i64, scale = 0.125 : f64}
func.func @network(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  // expected-error@+1 {{attention without a step}}
  %a = paged.attend @kv layer 0 queries %q : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  func.return %a : tensor<1x4x8xf32>
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 128 : i64, scale = 0.125 : f64}
func.func @network(%position: memref<1xi32>, %q: memref<1x4x8xf32>, %o: memref<1x4x8xf32>) {
  paged.begin @kv at %position tokens %position : memref<1xi32>, memref<1xi32>
  // expected-error@+1 {{attention on buffers}}
  paged.attend @kv layer 0 queries %q into %o : memref<1x4x8xf32> into memref<1x4x8xf32>
  func.return
}
