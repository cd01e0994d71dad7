// RUN: opt-tool %s -p attach-machine{target=%S/../paged.toml},verify-memory,expand-grid,verify-memory,pipeline-dma,verify-levels,verify-memory -o %t.mlir

// The pages with the highest scores, of which there are 3, feed the table: linear attention over these pages alone.
// The score of a page is a bound from its digest: sum over d of max(q[d] * most[d], q[d] * least[d]). Selected pages ascend.
#lane = affine_map<(d) -> (0, d)>
#row = affine_map<(r, d) -> (r)>
#page = affine_map<(r, d) -> (0, r, d)>
#query = affine_map<(r, d) -> (0, d)>
#sums = affine_map<(r, d) -> (d)>
#d = affine_map<(d) -> (d)>
#first = affine_map<(p, o) -> (p)>
#second = affine_map<(p, o) -> (o)>
#both = affine_map<(p, o) -> (p, o)>
#digest = affine_map<(p, d) -> (0, d)>
memref.global "private" @scores : memref<8xi32, "DRAM"> = uninitialized
memref.global "private" @rank : memref<8xi32, "DRAM"> = uninitialized
memref.global "private" @slot : memref<8xi32, "DRAM"> = uninitialized
memref.global "private" @selected : memref<3xi32, "DRAM"> = uninitialized
func.func @network(%q: memref<1x8xi8, "DRAM"> {onnx.name = "q"},
                   %most: memref<8x8xi8, "DRAM"> {onnx.name = "most"},
                   %least: memref<8x8xi8, "DRAM"> {onnx.name = "least"},
                   %table: memref<8xi32, "DRAM"> {onnx.name = "table", tilewright.range = array<i64: 0, 15>},
                   %k: memref<16x4x8xi8, "DRAM"> {onnx.name = "k"},
                   %v: memref<16x4x8xi8, "DRAM"> {onnx.name = "v"},
                   %o: memref<1x8xi32, "DRAM"> {onnx.name = "o", tilewright.output}) {
  %none = arith.constant 0 : i32
  %scores = memref.get_global @scores : memref<8xi32, "DRAM">
  linalg.fill ins(%none : i32) outs(%scores : memref<8xi32, "DRAM">)
  linalg.generic {indexing_maps = [#digest, #both, #both, #first], iterator_types = ["parallel", "reduction"]}
      ins(%q, %most, %least : memref<1x8xi8, "DRAM">, memref<8x8xi8, "DRAM">, memref<8x8xi8, "DRAM">)
      outs(%scores : memref<8xi32, "DRAM">) {
  ^bb0(%x: i8, %a: i8, %b: i8, %old: i32):
    %wide_x = arith.extsi %x : i8 to i32
    %wide_a = arith.extsi %a : i8 to i32
    %wide_b = arith.extsi %b : i8 to i32
    %upper = arith.muli %wide_x, %wide_a : i32
    %lower = arith.muli %wide_x, %wide_b : i32
    %bound = arith.maxsi %upper, %lower : i32
    %new = arith.addi %old, %bound : i32
    linalg.yield %new : i32
  }
  // The rank of a page: how many have a higher score, or the same and come before.
  %rank = memref.get_global @rank : memref<8xi32, "DRAM">
  linalg.fill ins(%none : i32) outs(%rank : memref<8xi32, "DRAM">)
  linalg.generic {indexing_maps = [#first, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%scores, %scores : memref<8xi32, "DRAM">, memref<8xi32, "DRAM">) outs(%rank : memref<8xi32, "DRAM">) {
  ^bb0(%mine: i32, %other: i32, %old: i32):
    %page = linalg.index 0 : index
    %other_page = linalg.index 1 : index
    %is_higher = arith.cmpi sgt, %other, %mine : i32
    %is_equal = arith.cmpi eq, %other, %mine : i32
    %is_earlier = arith.cmpi slt, %other_page, %page : index
    %is_tied = arith.andi %is_equal, %is_earlier : i1
    %is_before = arith.ori %is_higher, %is_tied : i1
    %one = arith.extui %is_before : i1 to i32
    %new = arith.addi %old, %one : i32
    linalg.yield %new : i32
  }
  // The slot of a page: how many selected ones come before it.
  %slot = memref.get_global @slot : memref<8xi32, "DRAM">
  linalg.fill ins(%none : i32) outs(%slot : memref<8xi32, "DRAM">)
  linalg.generic {indexing_maps = [#second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%rank : memref<8xi32, "DRAM">) outs(%slot : memref<8xi32, "DRAM">) {
  ^bb0(%other: i32, %old: i32):
    %page = linalg.index 0 : index
    %other_page = linalg.index 1 : index
    %three = arith.constant 3 : i32
    %is_selected = arith.cmpi slt, %other, %three : i32
    %is_earlier = arith.cmpi slt, %other_page, %page : index
    %is_before = arith.andi %is_selected, %is_earlier : i1
    %one = arith.extui %is_before : i1 to i32
    %new = arith.addi %old, %one : i32
    linalg.yield %new : i32
  }
  %selected = memref.get_global @selected : memref<3xi32, "DRAM">
  linalg.fill ins(%none : i32) outs(%selected : memref<3xi32, "DRAM">)
  linalg.generic {indexing_maps = [#second, #second, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%rank, %slot, %table : memref<8xi32, "DRAM">, memref<8xi32, "DRAM">, memref<8xi32, "DRAM">)
      outs(%selected : memref<3xi32, "DRAM">) {
  ^bb0(%mine: i32, %at: i32, %physical: i32, %old: i32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %is_selected = arith.cmpi slt, %mine, %three : i32
    %is_here = arith.cmpi eq, %at, %number : i32
    %is_it = arith.andi %is_selected, %is_here : i1
    %chosen = arith.select %is_it, %physical, %zero : i32
    %new = arith.addi %old, %chosen : i32
    linalg.yield %new : i32
  }
  hier.grid (%i) in [3]
      ins(%pages = %selected : memref<3xi32, "DRAM">,
          %tq = %q[0, 0] [1, 8] in "SRAM" address 0 : memref<1x8xi8, "DRAM">,
          %tk = %k[%selected[%i] in [0, 16), 0, 0] [1, 4, 8] in "SRAM" address 16 stages 2 : memref<16x4x8xi8, "DRAM">,
          %tv = %v[%selected[%i] in [0, 16), 0, 0] [1, 4, 8] in "SRAM" address 80 stages 2 : memref<16x4x8xi8, "DRAM">)
      outs(%to = %o[0, 0] [1, 8] in "SRAM" address 144 : memref<1x8xi32, "DRAM">)
      scratch(%s : memref<4xi32, "SRAM"> address 176, %acc : memref<8xi32, "SRAM"> address 192) {
    %zero = arith.constant 0 : i32
    hier.first %i { linalg.fill ins(%zero : i32) outs(%acc : memref<8xi32, "SRAM">) }
    linalg.fill ins(%zero : i32) outs(%s : memref<4xi32, "SRAM">)
    linalg.generic {indexing_maps = [#query, #page, #row], iterator_types = ["parallel", "reduction"]}
        ins(%tq, %tk : memref<1x8xi8, "SRAM">, memref<1x4x8xi8, "SRAM">) outs(%s : memref<4xi32, "SRAM">) {
    ^bb0(%a: i8, %b: i8, %old: i32):
      %wide_a = arith.extsi %a : i8 to i32
      %wide_b = arith.extsi %b : i8 to i32
      %product = arith.muli %wide_a, %wide_b : i32
      %new = arith.addi %old, %product : i32
      linalg.yield %new : i32
    }
    linalg.generic {indexing_maps = [#row, #page, #sums], iterator_types = ["reduction", "parallel"]}
        ins(%s, %tv : memref<4xi32, "SRAM">, memref<1x4x8xi8, "SRAM">) outs(%acc : memref<8xi32, "SRAM">) {
    ^bb0(%a: i32, %b: i8, %old: i32):
      %wide_b = arith.extsi %b : i8 to i32
      %product = arith.muli %a, %wide_b : i32
      %new = arith.addi %old, %product : i32
      linalg.yield %new : i32
    }
    hier.last %i {
      linalg.generic {indexing_maps = [#d, #lane], iterator_types = ["parallel"]}
          ins(%acc : memref<8xi32, "SRAM">) outs(%to : memref<1x8xi32, "SRAM">) {
      ^bb0(%a: i32, %old: i32):
        linalg.yield %a : i32
      }
    }
    hier.yield
  }
  func.return
}
