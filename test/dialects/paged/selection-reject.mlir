// RUN: opt-tool %s --split-input-file --verify-diagnostics

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%s: tensor<1x4x4xf32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{the budget must be sinks + recent + 1 pages at least, not 2}}
  %t, %c = paged.select @kv scores %s at %p {budget = 2 : i64, sinks = 1 : i64, recent = 1 : i64} : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x2xi32>, tensor<1x2xi32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%s: tensor<1x4x4xf32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{'mean' is no reduction: softmax-sum, union, max, sum}}
  %t, %c = paged.select @kv scores %s at %p {budget = 2 : i64, reduce = "mean"} : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x2xi32>, tensor<1x2xi32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%s: tensor<1x4x4xf32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{the table must be [1, 2, 3] of i32, not [1, 2, 2] of i32}}
  %t, %c = paged.select @kv scores %s at %p {budget = 2 : i64, reduce = "union"} : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x2xi32>, tensor<1x2xi32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%s: tensor<1x4x5xf32>, %p: tensor<1xi32>) {
  // expected-error@+1 {{the scores must be [1, 4, 4] of f32, not [1, 4, 5] of f32}}
  %t, %c = paged.select @kv scores %s at %p {budget = 2 : i64} : tensor<1x4x5xf32>, tensor<1xi32> -> tensor<1x2x2xi32>, tensor<1x2xi32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%q: tensor<1x3x8xf32>, %d: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{queries [1, 3, 8] do not share digests [2, 4, 2, 8] evenly}}
  %s = paged.score %q against %d : tensor<1x3x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x3x4xf32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network() {
  // expected-error@+1 {{the digests must be [2, 4, 2, 8] of f32, not [2, 4, 8] of f32}}
  %d = paged.digest @kv layer 0 -> tensor<2x4x8xf32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network() {
  // expected-error@+1 {{the op has results or buffers to write, and not both}}
  paged.digest @kv layer 0
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%q: tensor<1x4x8xf32>, %t: tensor<1x2x3xi32>, %c: tensor<1x4xi32>) {
  // expected-error@+1 {{the counts must be [1, 2] of i32, not [1, 4] of i32}}
  %o = paged.attend @kv layer 0 queries %q over %t, %c : tensor<1x4x8xf32> over tensor<1x2x3xi32>, tensor<1x4xi32> -> tensor<1x4x8xf32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%n: tensor<2xi32>) {
  // expected-error@+1 {{the number must be [1] of i32, not [2] of i32}}
  paged.truncate @kv to %n : tensor<2xi32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network(%n: tensor<1xf32>, %m: tensor<1xi32>) {
  // expected-error@+1 {{the end must be [1] of i32, not [1] of f32}}
  paged.pin @kv from %m to %n : tensor<1xi32>, tensor<1xf32>
  func.return
}

// -----

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.5 : f64}
func.func @network() {
  // expected-error@+1 {{the number of a sequence must be [1] of i32, not [2] of i32}}
  %n = paged.fork @kv -> tensor<2xi32>
  func.return
}
