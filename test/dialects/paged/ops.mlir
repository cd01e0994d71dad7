// RUN: opt-tool %s | opt-tool | filecheck %s
// RUN: opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s
// RUN: opt-tool %s -p bufferize | filecheck %s --check-prefix=BUFFERS
// RUN: opt-tool %s -p bufferize,convert-to-emitc -t c | filecheck %s --check-prefix=C

// CHECK: paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 1.250000e-01 : f64}
// C: #define NETWORK_KV_KV_HEADS 2
// C: #define NETWORK_KV_SCALE 0x1.0000000000000p-3f
// C: void network_bind(struct tw_paged_steps *steps);
// C: static tw_paged_steps *network_kv;
paged.pool @kv {layers = 2 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}

// CHECK-LABEL: func.func @network
// CHECK-NEXT:    paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<3xi32>
// CHECK-NEXT:    paged.append @kv layer 1 keys %k values %k : tensor<3x2x8xf32>, tensor<3x2x8xf32>
// CHECK-NEXT:    %o = paged.attend @kv layer 1 queries %q : tensor<3x4x8xf32> -> tensor<3x4x8xf32>
// CHECK-NEXT:    paged.commit @kv
// BUFFERS:       paged.append @kv layer 1 keys %k values %k : memref<3x2x8xf32>, memref<3x2x8xf32>
// BUFFERS:       paged.attend @kv layer 1 queries %q into %{{.*}} : memref<3x4x8xf32> into memref<3x4x8xf32>
// C:           tw_paged_step_begin(network_kv, position, 3, ids);
// C-NEXT:      tw_paged_step_append(network_kv, 1, k, k);
// C-NEXT:      tw_paged_step_attend(network_kv, 1, q, {{.*}}, 96);
// C-NEXT:      tw_paged_step_commit(network_kv);
func.func @network(%position: tensor<1xi32>, %ids: tensor<3xi32>, %q: tensor<3x4x8xf32>, %k: tensor<3x2x8xf32>) -> tensor<3x4x8xf32> {
  paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<3xi32>
  paged.append @kv layer 1 keys %k values %k : tensor<3x2x8xf32>, tensor<3x2x8xf32>
  %o = paged.attend @kv layer 1 queries %q : tensor<3x4x8xf32> -> tensor<3x4x8xf32>
  paged.commit @kv
  func.return %o : tensor<3x4x8xf32>
}
