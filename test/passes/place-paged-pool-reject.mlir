// RUN: opt-tool %s -p 'place-paged-pool{near=L1}' --split-input-file --verify-diagnostics

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%position: memref<1xi32>, %q: memref<1x4x8xf32>, %k: memref<1x2x8xf32>, %table: memref<1x2x3xi32>, %counts: memref<1x2xi32>, %o: memref<1x4x8xf32> {tilewright.output}) {
  paged.begin @kv at %position tokens %position : memref<1xi32>, memref<1xi32>
  paged.append @kv layer 0 keys %k values %k : memref<1x2x8xf32>, memref<1x2x8xf32>
  // expected-error@+1 {{the range of a table is not known}}
  paged.attend @kv layer 0 queries %q over %table, %counts into %o : memref<1x4x8xf32> over memref<1x2x3xi32>, memref<1x2xi32> into memref<1x4x8xf32>
  paged.commit @kv
  func.return
}

// -----

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%position: memref<1xi32>, %q: memref<1x4x8xf32>, %o: memref<1x4x8xf32>) {
  paged.begin @kv at %position tokens %position : memref<1xi32>, memref<1xi32>
  // expected-error@+1 {{attention without a table}}
  paged.attend @kv layer 0 queries %q into %o : memref<1x4x8xf32> into memref<1x4x8xf32>
  func.return
}

// -----

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%length: memref<1xi32>) {
  // expected-error@+1 {{paged.truncate on a pool in memory}}
  paged.truncate @kv to %length : memref<1xi32>
  func.return
}

// -----

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%k: tensor<1x2x8xf32>) {
  // expected-error@+1 {{paged.append is on tensors}}
  paged.append @kv layer 0 keys %k values %k : tensor<1x2x8xf32>, tensor<1x2x8xf32>
  func.return
}

// -----

paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%k: memref<1x2x8xf32>) {
  // expected-error@+1 {{paged.append without a step}}
  paged.append @kv layer 0 keys %k values %k : memref<1x2x8xf32>, memref<1x2x8xf32>
  func.return
}
