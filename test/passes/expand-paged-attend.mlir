// RUN: opt-tool %s -p 'expand-paged-attend{budget=3 sinks=1 skip-layers=1 reduce=union}' | filecheck %s

paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 128 : i64, scale = 0.125 : f64}

// CHECK:       paged.append @kv layer 0
// CHECK-NEXT:  %digests = paged.digest @kv layer 0 -> tensor<2x8x2x8xf32>
// CHECK-NEXT:  %scores = paged.score %q against %digests : tensor<1x4x8xf32>, tensor<2x8x2x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT:  %table, %counts = paged.select @kv scores %scores at %position {budget = 8 : i64, sinks = 0 : i64, recent = 0 : i64, reduce = "softmax-sum"} : tensor<1x4x8xf32>, tensor<1xi32> -> tensor<1x2x8xi32>, tensor<1x2xi32>
// CHECK-NEXT:  %a = paged.attend @kv layer 0 queries %q over %table, %counts : tensor<1x4x8xf32> over tensor<1x2x8xi32>, tensor<1x2xi32> -> tensor<1x4x8xf32>
// CHECK-NEXT:  paged.append @kv layer 1
// CHECK:       paged.select @kv scores %scores{{.*}} at %position {budget = 3 : i64, sinks = 1 : i64, recent = 0 : i64, reduce = "union"} : tensor<1x4x8xf32>, tensor<1xi32> -> tensor<1x2x4xi32>, tensor<1x2xi32>
// CHECK-NEXT:  %b = paged.attend @kv layer 1 queries %a over
func.func @network(%position: tensor<1xi32>, %ids: tensor<1xi32>, %q: tensor<1x4x8xf32>, %k: tensor<1x2x8xf32>) -> tensor<1x4x8xf32> {
  paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<1xi32>
  paged.append @kv layer 0 keys %k values %k : tensor<1x2x8xf32>, tensor<1x2x8xf32>
  %a = paged.attend @kv layer 0 queries %q : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  paged.append @kv layer 1 keys %k values %k : tensor<1x2x8xf32>, tensor<1x2x8xf32>
  %b = paged.attend @kv layer 1 queries %a : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  paged.commit @kv
  func.return %b : tensor<1x4x8xf32>
}
