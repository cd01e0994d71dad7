// RUN: opt-tool %s --split-input-file -p verify-memory,expand-grid,verify-memory,pipeline-dma,verify-memory | filecheck %s

// A reduction in three steps, the sums in scratch, with an epilogue.

// CHECK-LABEL: func.func @reduction
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
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
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 0 : memref<6x4xi8>,
          %tw = %w in "L1" address 8 : memref<4x3xi8>)
      outs(%to = %o[%i * 2, 0] [2, 3] in "L1" address 24 : memref<6x3xi32>)
      scratch(%mid : memref<2x4xi8, "L1"> address 48) {
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
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 16 stages 2 : memref<4x4xi8>)
      outs(%tt = %t[%i * 2, 0] [2, 4] : memref<4x4xi8, "L1">) {
    memref.copy %ta, %tt : memref<2x4xi8, "L1"> to memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">
    hier.yield
  }
  hier.grid (%i) in [2]
      ins(%ts = %t[%i * 2, 0] [2, 4] : memref<4x4xi8, "L1">)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>) {
    memref.copy %ts, %to : memref<2x4xi8, strided<[4, 1], offset: ?>, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// Tiles of tiles: the reduction is cut around and within, the sums are added up in the outer tile.

// CHECK-LABEL: func.func @nested
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ua = %a[%i * 2, %k * 3] [2, 3] in "L2" address 0 : memref<4x6xi8>,
          %ub = %b[%k * 3, 0] [3, 4] in "L2" address 8 : memref<6x4xi8>)
      outs(%uo = %o[%i * 2, 0] [2, 4] in "L2" address 24 : memref<4x4xi32>) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    hier.grid (%j, %m) in [2, 3]
        ins(%ta = %ua[0, %m] [2, 1] in "L1" address 0 : memref<2x3xi8, "L2">,
            %tb = %ub[%m, %j * 2] [1, 2] in "L1" address 8 : memref<3x4xi8, "L2">)
        outs(%to = %uo[0, %j * 2] [2, 2] : memref<2x4xi32, "L2">) {
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
  hier.grid (%i, %k) in [3, 3]
      ins(%tx = %x[0, 0, %k - 1, %i * 2] [1, 1, 1, 3] in "L1" address 0 fill 0 : i16 : memref<1x1x1x6xi16>,
          %tw = %w[0, 0, %k, 0] [2, 1, 1, 3] in "L1" address 8 : memref<2x1x3x3xi8>)
      outs(%ty = %y[0, 0, 0, %i] [1, 2, 1, 1] in "L1" address 16 : memref<1x2x1x3xi32>)
      scratch(%sum : memref<1x2x1x1xi32, "L1"> address 24) {
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1x2x1x1xi32, "L1">) }
    nn.conv ins(%tx, %tw : memref<1x1x1x3xi16, "L1">, memref<2x1x1x3xi8, "L1">) outs(%sum : memref<1x2x1x1xi32, "L1">) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 1, 1, 2, 1, 3, 1, 3, 3>, maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, (((d3 * 2) + d6) + -1), ((d4 * 2) + d7))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d3, d4)>], fills = [0 : i16, unit, unit], shapes = [array<i64: 1, 1, 1, 6>, array<i64: 2, 1, 3, 3>, array<i64: 1, 2, 1, 3>]}}
    hier.last %k { memref.copy %sum, %ty : memref<1x2x1x1xi32, "L1"> to memref<1x2x1x1xi32, "L1"> }
    hier.yield
  }
  func.return
}

// -----

// The same in two steps: the first point of the taps is filled in a step that does more, and adds nothing anyway.

// CHECK-LABEL: func.func @padded_in_part
func.func @padded_in_part(%x: memref<1x1x1x6xi16>, %w: memref<2x1x3x3xi8>, %y: memref<1x2x1x3xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [3, 2]
      ins(%tx = %x[0, 0, %k * 2 - 1, %i * 2] [1, 1, 2, 3] in "L1" address 0 fill 0 : i16 : memref<1x1x1x6xi16>,
          %tw = %w[0, 0, %k * 2, 0] [2, 1, 2, 3] in "L1" address 16 fill 0 : i8 : memref<2x1x3x3xi8>)
      outs(%ty = %y[0, 0, 0, %i] [1, 2, 1, 1] in "L1" address 32 : memref<1x2x1x3xi32>)
      scratch(%sum : memref<1x2x1x1xi32, "L1"> address 40) {
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<1x2x1x1xi32, "L1">) }
    nn.conv ins(%tx, %tw : memref<1x1x2x3xi16, "L1">, memref<2x1x2x3xi8, "L1">) outs(%sum : memref<1x2x1x1xi32, "L1">) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 1, 1, 2, 1, 3, 1, 3, 3>, maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, (((d3 * 2) + d6) + -1), ((d4 * 2) + d7))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d3, d4)>], fills = [0 : i16, unit, unit], shapes = [array<i64: 1, 1, 1, 6>, array<i64: 2, 1, 3, 3>, array<i64: 1, 2, 1, 3>]}}
    hier.last %k { memref.copy %sum, %ty : memref<1x2x1x1xi32, "L1"> to memref<1x2x1x1xi32, "L1"> }
    hier.yield
  }
  func.return
}

// -----

// Where the input's tile begins says how much the window and its place are together; that sums stay, which is which.

// CHECK-LABEL: func.func @window
func.func @window(%x: memref<2x1x4xi8>, %y: memref<2x1x5xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [5, 2]
      ins(%tx = %x[0, 0, %i + %k - 1] [2, 1, 1] in "L1" address 0 fill 0 : i8 : memref<2x1x4xi8>)
      outs(%ty = %y[0, 0, %i] [2, 1, 1] in "L1" address 8 : memref<2x1x5xi8>)
      scratch(%sum : memref<2x1x1xi32, "L1"> address 16) {
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
