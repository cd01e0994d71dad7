// RUN: opt-tool %s --split-input-file -p verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory | filecheck %s

// A reduction in three steps, the sums in scratch, with an epilogue.

// CHECK-LABEL: func.func @reduction
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%sum : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.last %k {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%sum : memref<2x4xi32, "L1">) outs(%to : memref<2x4xi8, "L1">) attrs = {hier.kernel = {bounds = array<i64: 4, 4>, maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 4>, array<i64: 4, 4>, array<i64: 4, 4>]}} {
      ^bb1(%x: i32, %y: i8):
        %n = arith.trunci %x : i32 to i8
        linalg.yield %n : i8
      }
    }
    hier.yield
  }
  func.return
}

// -----

// Two kernels in one grid, what is between them in scratch.

// CHECK-LABEL: func.func @fused
func.func @fused(%a: memref<6x4xi8>, %w: memref<4x3xi8>, %o: memref<6x3xi32> {tilewright.output}) {
  hier.grid [3] ins(%a, %w : memref<6x4xi8>, memref<4x3xi8>) outs(%o : memref<6x3xi32>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 0>,
             #hier.tile<[4, 3] at affine_map<(d0) -> (0, 0)> in "L1" address 8>,
             #hier.tile<[2, 3] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi8, "L1"> address 48>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tw: memref<4x3xi8, "L1">, %to: memref<2x3xi32, "L1">,
      %mid: memref<2x4xi8, "L1">):
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%ta : memref<2x4xi8, "L1">) outs(%mid : memref<2x4xi8, "L1">)
        attrs = {hier.kernel = {bounds = array<i64: 6, 4>, maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 6, 4>, array<i64: 6, 4>]}} {
    ^bb1(%x: i8, %y: i8):
      %d = arith.addi %x, %x : i8
      linalg.yield %d : i8
    }
    nn.matmul ins(%mid, %tw : memref<2x4xi8, "L1">, memref<4x3xi8, "L1">) outs(%to : memref<2x3xi32, "L1">)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 6, 3, 4>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 4, 3>, array<i64: 6, 3>]}}
    hier.yield
  }
  func.return
}

// -----

// A buffer that stays in the near level from one grid to the next, used where it lies.

// CHECK-LABEL: func.func @resident
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 0 : i64} : memref<4x4xi8, "L1">
  hier.grid [2] ins(%a : memref<4x4xi8>) outs(%t : memref<4x4xi8, "L1">)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 16 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)>>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tt: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">):
    "memref.copy"(%ta, %tt) : (memref<2x4xi8, "L1">, memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">) -> ()
    hier.yield
  }
  hier.grid [2] ins(%t : memref<4x4xi8, "L1">) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)>>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 24>] {
  ^bb0(%i: index, %ts: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, %to: memref<2x4xi8, "L1">):
    "memref.copy"(%ts, %to) : (memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}

// -----

// Tiles of tiles: the reduction is cut around and within, the sums are added up in the outer tile.

// CHECK-LABEL: func.func @nested
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi32>)
      tiles [#hier.tile<[2, 3] at affine_map<(d0, d1) -> (d0 * 2, d1 * 3)> in "L2" address 0>,
             #hier.tile<[3, 4] at affine_map<(d0, d1) -> (d1 * 3, 0)> in "L2" address 8>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L2" address 24>] {
  ^bb0(%i: index, %k: index, %ua: memref<2x3xi8, "L2">, %ub: memref<3x4xi8, "L2">, %uo: memref<2x4xi32, "L2">):
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    hier.grid [2, 3] ins(%ua, %ub : memref<2x3xi8, "L2">, memref<3x4xi8, "L2">) outs(%uo : memref<2x4xi32, "L2">)
        tiles [#hier.tile<[2, 1] at affine_map<(d0, d1) -> (0, d1)> in "L1" address 0>,
               #hier.tile<[1, 2] at affine_map<(d0, d1) -> (d1, d0 * 2)> in "L1" address 8>,
               #hier.tile<[2, 2] at affine_map<(d0, d1) -> (0, d0 * 2)>>] {
    ^bb1(%j: index, %m: index, %ta: memref<2x1xi8, "L1">, %tb: memref<1x2xi8, "L1">,
        %to: memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">):
      nn.matmul ins(%ta, %tb : memref<2x1xi8, "L1">, memref<1x2xi8, "L1">)
          outs(%to : memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">)
          {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
      hier.yield
    }
    hier.yield
  }
  func.return
}

// -----

// The one row of the input lies in the padding at the first and the last step: these add nothing, and are done.

// CHECK-LABEL: func.func @padded
func.func @padded(%x: memref<1x1x1x6xi16>, %w: memref<2x1x3x3xi8>, %y: memref<1x2x1x3xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [3, 3] ins(%x, %w : memref<1x1x1x6xi16>, memref<2x1x3x3xi8>) outs(%y : memref<1x2x1x3xi32>)
      tiles [#hier.tile<[1, 1, 1, 3] at affine_map<(d0, d1) -> (0, 0, d1 - 1, d0 * 2)> in "L1" address 0 fill 0 : i16>,
             #hier.tile<[2, 1, 1, 3] at affine_map<(d0, d1) -> (0, 0, d1, 0)> in "L1" address 8>,
             #hier.tile<[1, 2, 1, 1] at affine_map<(d0, d1) -> (0, 0, 0, d0)> in "L1" address 16>]
      scratch [#hier.scratch<memref<1x2x1x1xi32, "L1"> address 24>] {
  ^bb0(%i: index, %k: index, %tx: memref<1x1x1x3xi16, "L1">, %tw: memref<2x1x1x3xi8, "L1">,
      %ty: memref<1x2x1x1xi32, "L1">, %sum: memref<1x2x1x1xi32, "L1">):
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1x2x1x1xi32, "L1">) }
    nn.conv ins(%tx, %tw : memref<1x1x1x3xi16, "L1">, memref<2x1x1x3xi8, "L1">) outs(%sum : memref<1x2x1x1xi32, "L1">) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 1, 1, 2, 1, 3, 1, 3, 3>, maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, (((d3 * 2) + d6) + -1), ((d4 * 2) + d7))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d3, d4)>], fills = [0 : i16, unit, unit], shapes = [array<i64: 1, 1, 1, 6>, array<i64: 2, 1, 3, 3>, array<i64: 1, 2, 1, 3>]}}
    hier.last %k { "memref.copy"(%sum, %ty) : (memref<1x2x1x1xi32, "L1">, memref<1x2x1x1xi32, "L1">) -> () }
    hier.yield
  }
  func.return
}

// -----

// The same in two steps: the first point of the taps is filled in a step that does more, and adds nothing anyway.

// CHECK-LABEL: func.func @padded_in_part
func.func @padded_in_part(%x: memref<1x1x1x6xi16>, %w: memref<2x1x3x3xi8>, %y: memref<1x2x1x3xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [3, 2] ins(%x, %w : memref<1x1x1x6xi16>, memref<2x1x3x3xi8>) outs(%y : memref<1x2x1x3xi32>)
      tiles [#hier.tile<[1, 1, 2, 3] at affine_map<(d0, d1) -> (0, 0, d1 * 2 - 1, d0 * 2)> in "L1" address 0 fill 0 : i16>,
             #hier.tile<[2, 1, 2, 3] at affine_map<(d0, d1) -> (0, 0, d1 * 2, 0)> in "L1" address 16 fill 0 : i8>,
             #hier.tile<[1, 2, 1, 1] at affine_map<(d0, d1) -> (0, 0, 0, d0)> in "L1" address 32>]
      scratch [#hier.scratch<memref<1x2x1x1xi32, "L1"> address 40>] {
  ^bb0(%i: index, %k: index, %tx: memref<1x1x2x3xi16, "L1">, %tw: memref<2x1x2x3xi8, "L1">,
      %ty: memref<1x2x1x1xi32, "L1">, %sum: memref<1x2x1x1xi32, "L1">):
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1x2x1x1xi32, "L1">) }
    nn.conv ins(%tx, %tw : memref<1x1x2x3xi16, "L1">, memref<2x1x2x3xi8, "L1">) outs(%sum : memref<1x2x1x1xi32, "L1">) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 1, 1, 2, 1, 3, 1, 3, 3>, maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, (((d3 * 2) + d6) + -1), ((d4 * 2) + d7))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d3, d4)>], fills = [0 : i16, unit, unit], shapes = [array<i64: 1, 1, 1, 6>, array<i64: 2, 1, 3, 3>, array<i64: 1, 2, 1, 3>]}}
    hier.last %k { "memref.copy"(%sum, %ty) : (memref<1x2x1x1xi32, "L1">, memref<1x2x1x1xi32, "L1">) -> () }
    hier.yield
  }
  func.return
}

// -----

// Where the input's tile begins says how much the window and its place are together; that sums stay, which is which.

// CHECK-LABEL: func.func @window
func.func @window(%x: memref<2x1x4xi8>, %y: memref<2x1x5xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [5, 2] ins(%x : memref<2x1x4xi8>) outs(%y : memref<2x1x5xi8>)
      tiles [#hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0 + d1 - 1)> in "L1" address 0 fill 0 : i8>,
             #hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0)> in "L1" address 8>]
      scratch [#hier.scratch<memref<2x1x1xi32, "L1"> address 16>] {
  ^bb0(%i: index, %k: index, %tx: memref<2x1x1xi8, "L1">, %ty: memref<2x1x1xi8, "L1">, %sum: memref<2x1x1xi32, "L1">):
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<2x1x1xi32, "L1">) }
    nn.pool ins(%tx : memref<2x1x1xi8, "L1">) outs(%sum : memref<2x1x1xi32, "L1">) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, window = array<i64: 1>, kind = "sum", accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 2, 1, 5, 2>, maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, ((d2 + d3) + -1))>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], fills = [0 : i8, unit], shapes = [array<i64: 2, 1, 4>, array<i64: 2, 1, 5>]}}
    hier.last %k {
      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%sum : memref<2x1x1xi32, "L1">) outs(%ty : memref<2x1x1xi8, "L1">) attrs = {hier.kernel = {bounds = array<i64: 2, 1, 5>, maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], fills = [unit, unit, unit], shapes = [array<i64: 2, 1, 5>, array<i64: 2, 1, 5>, array<i64: 2, 1, 5>]}} {
      ^bb1(%a: i32, %b: i8):
        %n = arith.trunci %a : i32 to i8
        linalg.yield %n : i8
      }
    }
    hier.yield
  }
  func.return
}
