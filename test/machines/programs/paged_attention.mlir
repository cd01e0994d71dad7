// RUN: opt-tool %s -p attach-machine{target=%S/../paged.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// Decode attention of one query over selected pages of a K pool and a V pool, with a streaming softmax.
// The pools are state. The new row is written in place: page tail[h], row position[0]. Of the page in slot i, the first
// count[i] rows are valid; slots without a page have 0. Pages ascend, so that sums are in the order of dense attention.
#head = affine_map<(r, d) -> (0, d)>
#page = affine_map<(r, d) -> (0, r, d)>
#row = affine_map<(r, d) -> (r)>
#lane = affine_map<(r, d) -> (d)>
#one = affine_map<(r) -> (0)>
#each = affine_map<(r) -> (r)>
#lanes = affine_map<(d) -> (d)>
#total = affine_map<(d) -> (0)>
#out = affine_map<(d) -> (0, d)>
memref.global "private" @k : memref<12x8x8xf32, "DRAM"> = dense<0.0> {tilewright.state}
memref.global "private" @v : memref<12x8x8xf32, "DRAM"> = dense<0.0> {tilewright.state}
func.func @network(%q: memref<2x8xf32, "DRAM"> {onnx.name = "q"},
                   %new_k: memref<2x1x8xf32, "DRAM"> {onnx.name = "new_k"},
                   %new_v: memref<2x1x8xf32, "DRAM"> {onnx.name = "new_v"},
                   %table: memref<2x4xi32, "DRAM"> {onnx.name = "table"},
                   %count: memref<4xi32, "DRAM"> {onnx.name = "count"},
                   %tail: memref<2xi32, "DRAM"> {onnx.name = "tail"},
                   %position: memref<1xi32, "DRAM"> {onnx.name = "position"},
                   %o: memref<2x8xf32, "DRAM"> {onnx.name = "o", tilewright.output}) {
  %k = memref.get_global @k : memref<12x8x8xf32, "DRAM">
  %v = memref.get_global @v : memref<12x8x8xf32, "DRAM">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %row = hier.lookup %position[%c0] in [0, 8) : memref<1xi32, "DRAM">
  %near = memref.alloc() {hier.address = 1312 : i64} : memref<1x1x8xf32, "SRAM">
  scf.for %h = %c0 to %c2 step %c1 {
    %last = hier.lookup %tail[%h] in [0, 12) : memref<2xi32, "DRAM">
    %k_in = hier.dma_start %new_k[%h, %c0, %c0] to %near : memref<2x1x8xf32, "DRAM">, memref<1x1x8xf32, "SRAM">
    hier.dma_wait %k_in
    %k_out = hier.dma_start %k[%last, %row, %c0] from %near : memref<12x8x8xf32, "DRAM">, memref<1x1x8xf32, "SRAM">
    hier.dma_wait %k_out
    %v_in = hier.dma_start %new_v[%h, %c0, %c0] to %near : memref<2x1x8xf32, "DRAM">, memref<1x1x8xf32, "SRAM">
    hier.dma_wait %v_in
    %v_out = hier.dma_start %v[%last, %row, %c0] from %near : memref<12x8x8xf32, "DRAM">, memref<1x1x8xf32, "SRAM">
    hier.dma_wait %v_out
  }
  hier.grid (%h, %i) in [2, 4]
      ins(%pages = %table : memref<2x4xi32, "DRAM">,
          %tq = %q[%h, 0] [1, 8] in "SRAM" address 0 stages 2 : memref<2x8xf32, "DRAM">,
          %tk = %k[%table[%h, %i] in [0, 12), 0, 0] [1, 8, 8] in "SRAM" address 64 stages 2 : memref<12x8x8xf32, "DRAM">,
          %tv = %v[%table[%h, %i] in [0, 12), 0, 0] [1, 8, 8] in "SRAM" address 576 stages 2 : memref<12x8x8xf32, "DRAM">,
          %n = %count[%i] [1] in "SRAM" address 1088 stages 2 : memref<4xi32, "DRAM">)
      outs(%to = %o[%h, 0] [1, 8] in "SRAM" address 1120 : memref<2x8xf32, "DRAM">)
      scratch(%m : memref<1xf32, "SRAM"> address 1152,
              %next : memref<1xf32, "SRAM"> address 1168,
              %scale : memref<1xf32, "SRAM"> address 1184,
              %sum : memref<1xf32, "SRAM"> address 1200,
              %s : memref<8xf32, "SRAM"> address 1216,
              %p : memref<8xf32, "SRAM"> address 1248,
              %acc : memref<8xf32, "SRAM"> address 1280) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant -1.0e+30 : f32
    hier.first %i {
      linalg.fill ins(%least : f32) outs(%m : memref<1xf32, "SRAM">)
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32, "SRAM">)
      linalg.fill ins(%zero : f32) outs(%acc : memref<8xf32, "SRAM">)
    }
    // Scores: -1e30 in rows that are not valid, then the products of the query and the keys.
    linalg.generic {indexing_maps = [#one, #each], iterator_types = ["parallel"]}
        ins(%n : memref<1xi32, "SRAM">) outs(%s : memref<8xf32, "SRAM">) {
    ^bb0(%valid: i32, %old: f32):
      %r = linalg.index 0 : index
      %number = arith.index_cast %r : index to i32
      %is_valid = arith.cmpi slt, %number, %valid : i32
      %none = arith.constant 0.0 : f32
      %masked = arith.constant -1.0e+30 : f32
      %mask = arith.select %is_valid, %none, %masked : f32
      linalg.yield %mask : f32
    }
    linalg.generic {indexing_maps = [#head, #page, #row], iterator_types = ["parallel", "reduction"]}
        ins(%tq, %tk : memref<1x8xf32, "SRAM">, memref<1x8x8xf32, "SRAM">) outs(%s : memref<8xf32, "SRAM">) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %product = arith.mulf %a, %b : f32
      %new = arith.addf %old, %product : f32
      linalg.yield %new : f32
    }
    // Row maximum, and the factor by which earlier sums shrink.
    memref.copy %m, %next : memref<1xf32, "SRAM"> to memref<1xf32, "SRAM">
    linalg.generic {indexing_maps = [#each, #one], iterator_types = ["reduction"]}
        ins(%s : memref<8xf32, "SRAM">) outs(%next : memref<1xf32, "SRAM">) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.maximumf %old, %a : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]}
        ins(%m, %next : memref<1xf32, "SRAM">, memref<1xf32, "SRAM">) outs(%scale : memref<1xf32, "SRAM">) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %difference = arith.subf %a, %b : f32
      %new = math.exp %difference : f32
      linalg.yield %new : f32
    }
    memref.copy %next, %m : memref<1xf32, "SRAM"> to memref<1xf32, "SRAM">
    linalg.generic {indexing_maps = [#each, #one, #each], iterator_types = ["parallel"]}
        ins(%s, %m : memref<8xf32, "SRAM">, memref<1xf32, "SRAM">) outs(%p : memref<8xf32, "SRAM">) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %difference = arith.subf %a, %b : f32
      %new = math.exp %difference : f32
      linalg.yield %new : f32
    }
    // Row sum and accumulator.
    linalg.generic {indexing_maps = [#one, #each], iterator_types = ["parallel"]}
        ins(%scale : memref<1xf32, "SRAM">) outs(%sum : memref<1xf32, "SRAM">) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.mulf %old, %a : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#one, #each], iterator_types = ["parallel"]}
        ins(%scale : memref<1xf32, "SRAM">) outs(%acc : memref<8xf32, "SRAM">) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.mulf %old, %a : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#each, #one], iterator_types = ["reduction"]}
        ins(%p : memref<8xf32, "SRAM">) outs(%sum : memref<1xf32, "SRAM">) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.addf %old, %a : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#row, #page, #lane], iterator_types = ["reduction", "parallel"]}
        ins(%p, %tv : memref<8xf32, "SRAM">, memref<1x8x8xf32, "SRAM">) outs(%acc : memref<8xf32, "SRAM">) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %product = arith.mulf %a, %b : f32
      %new = arith.addf %old, %product : f32
      linalg.yield %new : f32
    }
    hier.last %i {
      linalg.generic {indexing_maps = [#lanes, #total, #out], iterator_types = ["parallel"]}
          ins(%acc, %sum : memref<8xf32, "SRAM">, memref<1xf32, "SRAM">) outs(%to : memref<1x8xf32, "SRAM">) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %new = arith.divf %a, %b : f32
        linalg.yield %new : f32
      }
    }
    hier.yield
  }
  func.return
}
