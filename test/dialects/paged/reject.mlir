// RUN: opt-tool %s --split-input-file --verify-diagnostics

// expected-error@+1 {{3 heads cannot share 2 KV heads evenly}}
paged.pool @kv {layers = 2 : i64, heads = 3 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}

// -----

// expected-error@+1 {{head_dim must be a multiple of 8, not 12}}
paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 12 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}

// -----

// expected-error@+1 {{page_length must be 1 or more, not 0}}
paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 0 : i64, context = 64 : i64, scale = 0.5 : f64}

// -----

func.func @network(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  // expected-error@+1 {{there is no paged.pool @kv}}
  %o = paged.attend @kv layer 0 queries %q : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  func.return %o : tensor<1x4x8xf32>
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%q: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  // expected-error@+1 {{layer 2 is none of the 2 of @kv}}
  %o = paged.attend @kv layer 2 queries %q : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  func.return %o : tensor<1x4x8xf32>
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%k: tensor<1x4x8xf32>) {
  // expected-error@+1 {{the keys must be [tokens, 2, 8] of f32, not [1, 4, 8] of f32}}
  paged.append @kv layer 0 keys %k values %k : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  func.return
}
