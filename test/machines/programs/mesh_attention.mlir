// RUN: opt-tool %s -p attach-machine{target=%S/../mesh_4x4.toml},verify-levels,verify-memory -o %t.mlir

// Attention of 4 heads over 32 rows on 4x4 nodes: node (h, p) has head h and rows 8 p to 8 p + 7 of the queries. Keys and values go round
// the ring of the head's nodes: at step t the node holds rows of node (p + t) mod 4, and its softmax is a streaming one.
func.func private @step(%q: memref<1x8x8xf32, "NODE">, %k: memref<1x8x8xf32, "NODE">, %v: memref<1x8x8xf32, "NODE">, %top: memref<1x8xf32, "NODE">, %total: memref<1x8xf32, "NODE">, %sums: memref<1x8x8xf32, "NODE">,
                        %scores: memref<1x8x8xf32, "NODE">, %before: memref<1x8xf32, "NODE">) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%scores : memref<1x8x8xf32, "NODE">)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">) outs(%scores : memref<1x8x8xf32, "NODE">) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  memref.copy %top, %before : memref<1x8xf32, "NODE"> to memref<1x8xf32, "NODE">
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : memref<1x8x8xf32, "NODE">) outs(%top : memref<1x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%top : memref<1x8xf32, "NODE">) outs(%before : memref<1x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.subf %o, %x : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%top : memref<1x8xf32, "NODE">) outs(%scores : memref<1x8x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.subf %o, %x : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%before : memref<1x8xf32, "NODE">) outs(%total : memref<1x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %o : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : memref<1x8x8xf32, "NODE">) outs(%total : memref<1x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%before : memref<1x8xf32, "NODE">) outs(%sums : memref<1x8x8xf32, "NODE">) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %o : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%scores, %v : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">) outs(%sums : memref<1x8x8xf32, "NODE">) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  func.return
}

func.func @network(%q: memref<4x32x8xf32> {onnx.name = "q"}, %k: memref<4x32x8xf32> {onnx.name = "k"}, %v: memref<4x32x8xf32> {onnx.name = "v"},
                   %y: memref<4x32x8xf32> {onnx.name = "y", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  %nothing = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %k_ring = hier.stream depth 2 : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
  %v_ring = hier.stream depth 2 : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [4, 4] {
      %own_q = memref.alloca() : memref<1x8x8xf32, "NODE">
      %own_k = memref.alloca() : memref<1x8x8xf32, "NODE">
      %own_v = memref.alloca() : memref<1x8x8xf32, "NODE">
      %top = memref.alloca() : memref<1x8xf32, "NODE">
      %total = memref.alloca() : memref<1x8xf32, "NODE">
      %sums = memref.alloca() : memref<1x8x8xf32, "NODE">
      %scores = memref.alloca() : memref<1x8x8xf32, "NODE">
      %before = memref.alloca() : memref<1x8xf32, "NODE">
      %row = arith.muli %p, %eight : index
      %around = arith.addi %p, %three : index
      %left = arith.remui %around, %four : index
      %tq = hier.dma_start %q[%h, %row, %zero] to %own_q : memref<4x32x8xf32>, memref<1x8x8xf32, "NODE">
      %tk = hier.dma_start %k[%h, %row, %zero] to %own_k : memref<4x32x8xf32>, memref<1x8x8xf32, "NODE">
      %tv = hier.dma_start %v[%h, %row, %zero] to %own_v : memref<4x32x8xf32>, memref<1x8x8xf32, "NODE">
      linalg.fill ins(%least : f32) outs(%top : memref<1x8xf32, "NODE">)
      linalg.fill ins(%nothing : f32) outs(%total : memref<1x8xf32, "NODE">)
      linalg.fill ins(%nothing : f32) outs(%sums : memref<1x8x8xf32, "NODE">)
      hier.dma_wait %tq
      hier.dma_wait %tk
      hier.dma_wait %tv
      %k_slot = hier.reserve %k_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      %k_sent = hier.dma_start %own_k[%zero, %zero, %zero] to %k_slot : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">
      %v_slot = hier.reserve %v_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      %v_sent = hier.dma_start %own_v[%zero, %zero, %zero] to %v_slot : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">
      func.call @step(%own_q, %own_k, %own_v, %top, %total, %sums, %scores, %before) : (memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">) -> ()
      hier.dma_wait %k_sent
      hier.push %k_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      hier.dma_wait %v_sent
      hier.push %v_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      scf.for %t = %one to %three step %one {
        %next_k = hier.pop %k_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        %next_v = hier.pop %v_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        %k_next = hier.reserve %k_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        %k_on = hier.dma_start %next_k[%zero, %zero, %zero] to %k_next : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">
        %v_next = hier.reserve %v_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        %v_on = hier.dma_start %next_v[%zero, %zero, %zero] to %v_next : memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">
        func.call @step(%own_q, %next_k, %next_v, %top, %total, %sums, %scores, %before) : (memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">) -> ()
        hier.dma_wait %k_on
        hier.push %k_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        hier.dma_wait %v_on
        hier.push %v_ring[%h, %left] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        hier.release %k_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
        hier.release %v_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      }
      %last_k = hier.pop %k_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      %last_v = hier.pop %v_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      func.call @step(%own_q, %last_k, %last_v, %top, %total, %sums, %scores, %before) : (memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">) -> ()
      hier.release %k_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      hier.release %v_ring[%h, %p] : !hier.stream<memref<1x8x8xf32, "NODE"> over [4, 4]>
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%total : memref<1x8xf32, "NODE">) outs(%sums : memref<1x8x8xf32, "NODE">) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.divf %o, %x : f32
        linalg.yield %s : f32
      }
      %to = hier.dma_start %y[%h, %row, %zero] from %sums : memref<4x32x8xf32>, memref<1x8x8xf32, "NODE">
      hier.dma_wait %to
    }
  }
  func.return
}
