// RUN: opt-tool %s -p attach-machine{target=%S/../npu_cluster.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// A 3x3 convolution of the cluster in four steps: tiles that overlap and hang over the border, sums of two halves of the
// channels in scratch. Then a 1x1 convolution on the accelerator while the cluster clips the same input.
builtin.module {
  func.func @network(%x: memref<1x4x8x8xi8>, %w: memref<6x4x3x3xi8>, %z: memref<1x8x8x8xi8>, %v: memref<4x8x1x1xi8>,
                     %y: memref<1x6x8x8xi32> {tilewright.output}, %u: memref<1x4x8x8xi32> {tilewright.output}, %p: memref<1x8x8x8xi8> {tilewright.output}) {
    %zero = arith.constant 0 : index
    %nothing = arith.constant 0 : i32
    hier.grid (%i, %k) in [2, 2]
        ins(%tx = %x[0, %k * 2, %i * 4 - 1, -1] [1, 2, 6, 10] in "L1" address 0 stages 2 fill 0 : i8 : memref<1x4x8x8xi8>,
            %tw = %w[0, %k * 2, 0, 0] [6, 2, 3, 3] in "L1" address 256 stages 2 : memref<6x4x3x3xi8>)
        outs(%ty = %y[0, 0, %i * 4, 0] [1, 6, 4, 8] in "L1" address 512 stages 2 : memref<1x6x8x8xi32>)
        scratch(%sums : memref<1x6x4x8xi32, "L1"> address 2048) attributes {engine = "cluster"} {
      hier.first %k {
        linalg.fill ins(%nothing : i32) outs(%sums : memref<1x6x4x8xi32, "L1">)
      }
      nn.conv ins(%tx, %tw : memref<1x2x6x10xi8, "L1">, memref<6x2x3x3xi8, "L1">) outs(%sums : memref<1x6x4x8xi32, "L1">) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate}
      hier.last %k {
        memref.copy %sums, %ty : memref<1x6x4x8xi32, "L1"> to memref<1x6x4x8xi32, "L1">
      }
      hier.yield
    }
    %tz = memref.alloc() {hier.address = 4096 : i64} : memref<1x8x8x8xi8, "L1">
    %tv = memref.alloc() {hier.address = 4608 : i64} : memref<4x8x1x1xi8, "L1">
    %tu = memref.alloc() {hier.address = 5120 : i64} : memref<1x4x8x8xi32, "L1">
    %tp = memref.alloc() {hier.address = 6144 : i64} : memref<1x8x8x8xi8, "L1">
    %z_in = hier.dma_start %z[%zero, %zero, %zero, %zero] to %tz : memref<1x8x8x8xi8>, memref<1x8x8x8xi8, "L1">
    %v_in = hier.dma_start %v[%zero, %zero, %zero, %zero] to %tv : memref<4x8x1x1xi8>, memref<4x8x1x1xi8, "L1">
    hier.dma_wait %z_in
    hier.dma_wait %v_in
    %job = hier.launch {
      nn.conv ins(%tz, %tv : memref<1x8x8x8xi8, "L1">, memref<4x8x1x1xi8, "L1">) outs(%tu : memref<1x4x8x8xi32, "L1">) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, engine = "npu"}
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%tz : memref<1x8x8x8xi8, "L1">) outs(%tp : memref<1x8x8x8xi8, "L1">) attrs = {engine = "cluster"} {
    ^bb0(%a: i8, %o: i8):
      %least = arith.constant 0 : i8
      %0 = arith.maxsi %a, %least : i8
      linalg.yield %0 : i8
    }
    %p_out = hier.dma_start %p[%zero, %zero, %zero, %zero] from %tp : memref<1x8x8x8xi8>, memref<1x8x8x8xi8, "L1">
    hier.join %job
    %u_out = hier.dma_start %u[%zero, %zero, %zero, %zero] from %tu : memref<1x4x8x8xi32>, memref<1x4x8x8xi32, "L1">
    hier.dma_wait %p_out
    hier.dma_wait %u_out
    func.return
  }
}
