// RUN: not opt-tool %s -p 'place-paged-pool{near=L1},verify-memory' 2>&1 | filecheck %s
// RUN: not opt-tool %s -p 'place-paged-pool{near=L1},expand-grid,verify-memory' 2>&1 | filecheck %s
// RUN: not opt-tool %s -p 'attach-machine{target=host},place-paged-pool' 2>&1 | filecheck %s --check-prefix=HOST

// HOST: machine 'host' has no near memory for the tiles of pages
// A table with a fifth block, of four: proved wrong before anything runs.
// CHECK: error: [verify-memory
// CHECK: counterexample
paged.pool @kv {layers = 1 : i64, heads = 4 : i64, kv_heads = 2 : i64, head_dim = 8 : i64, page_length = 16 : i64, context = 64 : i64, scale = 0.125 : f64}
func.func @network(%position: memref<1xi32>, %q: memref<1x4x8xf32>, %k: memref<1x2x8xf32>, %table: memref<1x2x3xi32> {tilewright.range = array<i64: 0, 4>}, %counts: memref<1x2xi32>, %o: memref<1x4x8xf32> {tilewright.output}) {
  paged.begin @kv at %position tokens %position : memref<1xi32>, memref<1xi32>
  paged.append @kv layer 0 keys %k values %k : memref<1x2x8xf32>, memref<1x2x8xf32>
  paged.attend @kv layer 0 queries %q over %table, %counts into %o : memref<1x4x8xf32> over memref<1x2x3xi32>, memref<1x2xi32> into memref<1x4x8xf32>
  paged.commit @kv
  func.return
}
