// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s
// RUN: opt-tool %s -p bufferize | filecheck %s --check-prefix=BUFFERS

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}

// CHECK-LABEL: func.func @network
// CHECK-NEXT:    paged.begin
// CHECK-NEXT:    paged.append
// CHECK-NEXT:    %digests = paged.digest @kv layer 0 -> tensor<2x4x2x8xf32>
// CHECK-NEXT:    %scores = paged.score %q against %digests : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
// CHECK-NEXT:    %table, %counts = paged.select @kv scores %scores at %position {budget = 3 : i64, sinks = 1 : i64, reduce = "max"} : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x3xi32>, tensor<1x2xi32>
// CHECK-NEXT:    %o = paged.attend @kv layer 0 queries %q over %table, %counts : tensor<1x4x8xf32> over tensor<1x2x3xi32>, tensor<1x2xi32> -> tensor<1x4x8xf32>
// CHECK-NEXT:    paged.commit @kv
// BUFFERS:       paged.digest @kv layer 0 into %digests : memref<2x4x2x8xf32>
// BUFFERS:       paged.score %q against %digests into %scores : memref<1x4x8xf32>, memref<2x4x2x8xf32> into memref<1x4x4xf32>
// BUFFERS:       paged.select @kv scores %scores at %position into %table, %counts {budget = 3 : i64, sinks = 1 : i64, reduce = "max"} : memref<1x4x4xf32>, memref<1xi32> into memref<1x2x3xi32>, memref<1x2xi32>
// BUFFERS:       paged.attend @kv layer 0 queries %q over %table, %counts into %{{.*}} : memref<1x4x8xf32> over memref<1x2x3xi32>, memref<1x2xi32> into memref<1x4x8xf32>
func.func @network(%position: tensor<1xi32>, %ids: tensor<1xi32>, %q: tensor<1x4x8xf32>, %k: tensor<1x2x8xf32>) -> tensor<1x4x8xf32> {
  paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<1xi32>
  paged.append @kv layer 0 keys %k values %k : tensor<1x2x8xf32>, tensor<1x2x8xf32>
  %digests = paged.digest @kv layer 0 -> tensor<2x4x2x8xf32>
  %scores = paged.score %q against %digests : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
  %table, %counts = paged.select @kv scores %scores at %position {budget = 3 : i64, sinks = 1 : i64, reduce = "max"} : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x3xi32>, tensor<1x2xi32>
  %o = paged.attend @kv layer 0 queries %q over %table, %counts : tensor<1x4x8xf32> over tensor<1x2x3xi32>, tensor<1x2xi32> -> tensor<1x4x8xf32>
  paged.commit @kv
  func.return %o : tensor<1x4x8xf32>
}

// CHECK-LABEL: func.func @documents
// CHECK-NEXT:    paged.truncate @kv to %length : tensor<1xi32>
// CHECK-NEXT:    %copy = paged.fork @kv -> tensor<1xi32>
// CHECK-NEXT:    paged.switch @kv to %copy : tensor<1xi32>
// CHECK-NEXT:    paged.pin @kv from %zero to %length : tensor<1xi32>, tensor<1xi32>
// CHECK-NEXT:    paged.pin @kv from %zero to %length {unpin} : tensor<1xi32>, tensor<1xi32>
// BUFFERS:       paged.fork @kv into %{{.*}} : memref<1xi32>
func.func @documents(%zero: tensor<1xi32>, %length: tensor<1xi32>) -> tensor<1xi32> {
  paged.truncate @kv to %length : tensor<1xi32>
  %copy = paged.fork @kv -> tensor<1xi32>
  paged.switch @kv to %copy : tensor<1xi32>
  paged.pin @kv from %zero to %length : tensor<1xi32>, tensor<1xi32>
  paged.pin @kv from %zero to %length {unpin} : tensor<1xi32>, tensor<1xi32>
  func.return %copy : tensor<1xi32>
}
