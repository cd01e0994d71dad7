// RUN: opt-tool %s -p attach-machine{target=%S/../mesh_4x4.toml},lower-sharded,verify-levels,verify-memory -o %t.mlir

// Attention of 4 heads over 32 rows on 4x4 nodes, by values that are sharded over them: node (h, p) has head h and rows 8 p to 8 p + 7.
// Between the steps of a streaming softmax, keys and values are shifted round the ring of the head's nodes.
!rows = memref<4x32x8xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 floordiv 8)>>
!row = memref<4x32xf32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0, d1 floordiv 8)>>

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
  %four = arith.constant 4 : index
  %nothing = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %all_q = memref.alloc() : !rows
  %all_k = memref.alloc() : !rows
  %all_v = memref.alloc() : !rows
  %all_y = memref.alloc() : !rows
  %tops = memref.alloc() : !row
  %totals = memref.alloc() : !row
  memref.copy %q, %all_q : memref<4x32x8xf32> to !rows
  memref.copy %k, %all_k : memref<4x32x8xf32> to !rows
  memref.copy %v, %all_v : memref<4x32x8xf32> to !rows
  scf.for %t = %zero to %four step %one {
    hier.concurrent {
      hier.program "node" on "array" over (%h, %p) in [4, 4] {
        %own_q = hier.local %all_q[%h, %p] : !rows -> memref<1x8x8xf32, "NODE">
        %own_k = hier.local %all_k[%h, %p] : !rows -> memref<1x8x8xf32, "NODE">
        %own_v = hier.local %all_v[%h, %p] : !rows -> memref<1x8x8xf32, "NODE">
        %sums = hier.local %all_y[%h, %p] : !rows -> memref<1x8x8xf32, "NODE">
        %top = hier.local %tops[%h, %p] : !row -> memref<1x8xf32, "NODE">
        %total = hier.local %totals[%h, %p] : !row -> memref<1x8xf32, "NODE">
        %scores = memref.alloca() : memref<1x8x8xf32, "NODE">
        %before = memref.alloca() : memref<1x8xf32, "NODE">
        %is_first = arith.cmpi eq, %t, %zero : index
        scf.if %is_first {
          linalg.fill ins(%least : f32) outs(%top : memref<1x8xf32, "NODE">)
          linalg.fill ins(%nothing : f32) outs(%total : memref<1x8xf32, "NODE">)
          linalg.fill ins(%nothing : f32) outs(%sums : memref<1x8x8xf32, "NODE">)
        }
        func.call @step(%own_q, %own_k, %own_v, %top, %total, %sums, %scores, %before) : (memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8x8xf32, "NODE">, memref<1x8xf32, "NODE">) -> ()
      }
    }
    hier.shift %all_k to %all_k along 1 by -1 : !rows
    hier.shift %all_v to %all_v along 1 by -1 : !rows
  }
  hier.concurrent {
    hier.program "divide" on "array" over (%h, %p) in [4, 4] {
      %total = hier.local %totals[%h, %p] : !row -> memref<1x8xf32, "NODE">
      %sums = hier.local %all_y[%h, %p] : !rows -> memref<1x8x8xf32, "NODE">
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%total : memref<1x8xf32, "NODE">) outs(%sums : memref<1x8x8xf32, "NODE">) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.divf %o, %x : f32
        linalg.yield %s : f32
      }
    }
  }
  memref.copy %all_y, %y : !rows to memref<4x32x8xf32>
  func.return
}
