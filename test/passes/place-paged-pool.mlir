// RUN: opt-tool %s -p 'place-paged-pool{near=L1}' | filecheck %s
// RUN: opt-tool %s -p 'place-paged-pool{near=L1},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory' | filecheck %s --check-prefix=EXPLICIT

// CHECK:       memref.global "private" @kv_keys_0 : memref<2x4x16x1x8xf32> = dense<0.000000e+00> {tilewright.state}
// CHECK-NEXT:  memref.global "private" @kv_values_0 : memref<2x4x16x1x8xf32> = dense<0.000000e+00> {tilewright.state}
// CHECK-NEXT:  memref.global "private" @kv_digests_0 : memref<2x4x2x8xf32> = dense<0.000000e+00> {tilewright.state}
// CHECK-NOT:   paged.
// CHECK:       hier.lookup %blocks[{{.*}}] in [0, 4) : memref<1xi32>
// CHECK-NEXT:  hier.lookup %in_block[{{.*}}] in [0, 16) : memref<1xi32>
// CHECK:       hier.grid ({{.*}}) in [1, 2, 3]
// CHECK:       = %{{.*}}[{{.*}}, %table[{{.*}}] in [0, 4), 0, 0, 0] [1, 1, 16, 1, 8] in "L1" address {{[0-9]+}} stages 2 : memref<2x4x16x1x8xf32>
// CHECK:       hier.grid ({{.*}}) in [1, 2, 3]
// CHECK:       = %{{.*}}[{{.*}}, %table[{{.*}}] in [0, 4), 0, 0, 0]
// CHECK-NOT:   paged.
// EXPLICIT:    hier.lookup %table[{{.*}}] in [0, 4)
// EXPLICIT:    hier.dma_start %kv_keys
paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%position: memref<1xi32>, %q: memref<1x4x8xf32>, %k: memref<1x2x8xf32>, %table: memref<1x2x3xi32> {tilewright.range = array<i64: 0, 3>}, %counts: memref<1x2xi32>, %o: memref<1x4x8xf32> {tilewright.output}) {
  paged.begin @kv at %position tokens %position : memref<1xi32>, memref<1xi32>
  paged.append @kv layer 0 keys %k values %k : memref<1x2x8xf32>, memref<1x2x8xf32>
  paged.attend @kv layer 0 queries %q over %table, %counts into %o : memref<1x4x8xf32> over memref<1x2x3xi32>, memref<1x2xi32> into memref<1x4x8xf32>
  paged.commit @kv
  func.return
}
