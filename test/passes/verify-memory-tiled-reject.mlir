// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// The sums begin anew at each step.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    // expected-error@+1 {{'nn.matmul' adds to sums that begin anew at each step in scratch 0 (%sum) of the grid (rule 'whole-kernel')}}
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

// The sums begin with the rows only.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %i {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{'nn.matmul' adds the same again in scratch 0 (%sum) of the grid (rule 'whole-kernel')}}
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

// The sums begin once, for both tiles of rows.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %i, %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{'nn.matmul' adds the same again in scratch 0 (%sum) of the grid (rule 'whole-kernel')}}
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

// Nothing begins the sums.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    // expected-error@+1 {{'nn.matmul' reads scratch 0 (%sum) of the grid, which holds nothing yet (rule 'initialised')}}
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

// The sums begin at 1.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 1 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %k {
      // expected-error@+1 {{the sums of 'nn.matmul' begin at 1 in scratch 0 (%sum) of the grid, not at 0 (rule 'whole-kernel')}}
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

// The sums are used at the last rows, not at the last step.
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
    hier.last %i {
      // expected-error@+1 {{'linalg.generic' reads scratch 0 (%sum) of the grid before its sums are complete (rule 'whole-kernel')}}
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

// The last step is missing.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{'nn.matmul' leaves out a point of the reduced loop d2 (rule 'whole-kernel')}}
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

// Each step goes back to a column of the one before.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{'nn.matmul' leaves out a point of the reduced loop d2 (rule 'whole-kernel')}}
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

// A step has the rows of another one.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2 - 1] [2, 2] in "L1" address 0 stages 2 fill 0 : i8 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{operand 1 (%b) of the grid is not the tile that 'nn.matmul' needs (rule 'whole-kernel')}}
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

// The scratch lies on the output's tile.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{the buffers of operand 2 (%o) and scratch 0 (%sum) of the grid overlap in L1 (rule 'disjoint')}}
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 28) {
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

// The intermediate is read before it is made.
func.func @fused(%a: memref<6x4xi8>, %w: memref<4x3xi8>, %o: memref<6x3xi32> {tilewright.output}) {
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 0 : memref<6x4xi8>,
          %tw = %w in "L1" address 8 : memref<4x3xi8>)
      outs(%to = %o[%i * 2, 0] [2, 3] in "L1" address 24 : memref<6x3xi32>)
      scratch(%mid : memref<2x4xi8, "L1"> address 48) {
    // expected-error@+1 {{'nn.matmul' reads scratch 0 (%mid) of the grid, which holds nothing yet (rule 'initialised')}}
    nn.matmul ins(%mid, %tw : memref<2x4xi8, "L1">, memref<4x3xi8, "L1">) outs(%to : memref<2x3xi32, "L1">)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 6, 3, 4>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 4, 3>, array<i64: 6, 3>]}}
    hier.yield
  }
  func.return
}

// -----

// The intermediate is made at the first point only.
func.func @fused(%a: memref<6x4xi8>, %w: memref<4x3xi8>, %o: memref<6x3xi32> {tilewright.output}) {
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 0 : memref<6x4xi8>,
          %tw = %w in "L1" address 8 : memref<4x3xi8>)
      outs(%to = %o[%i * 2, 0] [2, 3] in "L1" address 24 : memref<6x3xi32>)
      scratch(%mid : memref<2x4xi8, "L1"> address 48) {
    hier.first %i {
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%ta : memref<2x4xi8, "L1">) outs(%mid : memref<2x4xi8, "L1">)
        attrs = {hier.kernel = {bounds = array<i64: 6, 4>, maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 6, 4>, array<i64: 6, 4>]}} {
    ^bb1(%x: i8, %y: i8):
      %d = arith.addi %x, %x : i8
      linalg.yield %d : i8
    }
    }
    // expected-error@+1 {{scratch 0 (%mid) of the grid is not the tile that 'nn.matmul' needs (rule 'whole-kernel')}}
    nn.matmul ins(%mid, %tw : memref<2x4xi8, "L1">, memref<4x3xi8, "L1">) outs(%to : memref<2x3xi32, "L1">)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 6, 3, 4>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 4, 3>, array<i64: 6, 3>]}}
    hier.yield
  }
  func.return
}

// -----

// The intermediate is that of the rows after.
func.func @fused(%a: memref<6x4xi8>, %w: memref<4x3xi8>, %o: memref<6x3xi32> {tilewright.output}) {
  hier.grid (%i) in [3]
      ins(%ta = %a[%i * 2 + 1, 0] [2, 4] in "L1" address 0 fill 0 : i8 : memref<6x4xi8>,
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
    // expected-error@+1 {{scratch 0 (%mid) of the grid is not the tile that 'nn.matmul' needs (rule 'whole-kernel')}}
    nn.matmul ins(%mid, %tw : memref<2x4xi8, "L1">, memref<4x3xi8, "L1">) outs(%to : memref<2x3xi32, "L1">)
        {accumulator = i32, hier.kernel = {bounds = array<i64: 6, 3, 4>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 6, 4>, array<i64: 4, 3>, array<i64: 6, 3>]}}
    hier.yield
  }
  func.return
}

// -----

// The second view begins a row later, and leaves the buffer.
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 0 : i64} : memref<4x4xi8, "L1">
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 16 stages 2 : memref<4x4xi8>)
      outs(%tt = %t[%i * 2, 0] [2, 4] : memref<4x4xi8, "L1">) {
    memref.copy %ta, %tt : memref<2x4xi8, "L1"> to memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">
    hier.yield
  }
  // expected-error@+1 {{a view of operand 0 (%t) of the grid leaves it (rule 'inside')}}
  hier.grid (%i) in [2]
      ins(%ts = %t[%i * 2 + 1, 0] [2, 4] : memref<4x4xi8, "L1">)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi8>) {
    memref.copy %ts, %to : memref<2x4xi8, strided<[4, 1], offset: ?>, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// The views leave out the last rows.
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 0 : i64} : memref<4x4xi8, "L1">
  // expected-error@+1 {{an element of operand 1 (%t) of the grid is in no tile (rule 'written-once')}}
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 16 stages 2 : memref<4x4xi8>)
      outs(%tt = %t[%i, 0] [2, 4] : memref<4x4xi8, "L1">) {
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

// The buffer lies on the second grid's tile, and clear of the first one's.
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 32 : i64} : memref<4x4xi8, "L1">
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 2, 0] [2, 4] in "L1" address 16 stages 2 : memref<4x4xi8>)
      outs(%tt = %t[%i * 2, 0] [2, 4] : memref<4x4xi8, "L1">) {
    memref.copy %ta, %tt : memref<2x4xi8, "L1"> to memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">
    hier.yield
  }
  // expected-error@+1 {{the buffers of %t and operand 1 (%o) of the grid overlap in L1 (rule 'disjoint')}}
  hier.grid (%i) in [2]
      ins(%ts = %t[%i * 2, 0] [2, 4] : memref<4x4xi8, "L1">)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 40 : memref<4x4xi8>) {
    memref.copy %ts, %to : memref<2x4xi8, strided<[4, 1], offset: ?>, "L1"> to memref<2x4xi8, "L1">
    hier.yield
  }
  func.return
}

// -----

// The outer tile's sums begin anew at each step.
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ua = %a[%i * 2, %k * 3] [2, 3] in "L2" address 0 : memref<4x6xi8>,
          %ub = %b[%k * 3, 0] [3, 4] in "L2" address 8 : memref<6x4xi8>)
      outs(%uo = %o[%i * 2, 0] [2, 4] in "L2" address 24 : memref<4x4xi32>) {
    linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    hier.grid (%j, %m) in [2, 3]
        ins(%ta = %ua[0, %m] [2, 1] in "L1" address 0 : memref<2x3xi8, "L2">,
            %tb = %ub[%m, %j * 2] [1, 2] in "L1" address 8 : memref<3x4xi8, "L2">)
        outs(%to = %uo[0, %j * 2] [2, 2] : memref<2x4xi32, "L2">) {
      // expected-error@+1 {{'nn.matmul' adds to sums that begin anew at each step in operand 2 (%uo) of the grid (rule 'whole-kernel')}}
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

// The outer tiles are those of other columns.
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ua = %a[%i * 2, %k * 3] [2, 3] in "L2" address 0 : memref<4x6xi8>,
          %ub = %b[%k * 2, 0] [3, 4] in "L2" address 8 : memref<6x4xi8>)
      outs(%uo = %o[%i * 2, 0] [2, 4] in "L2" address 24 : memref<4x4xi32>) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    hier.grid (%j, %m) in [2, 3]
        ins(%ta = %ua[0, %m] [2, 1] in "L1" address 0 : memref<2x3xi8, "L2">,
            %tb = %ub[%m, %j * 2] [1, 2] in "L1" address 8 : memref<3x4xi8, "L2">)
        outs(%to = %uo[0, %j * 2] [2, 2] : memref<2x4xi32, "L2">) {
      // expected-error@+1 {{operand 1 (%ub) of the grid is not the tile that 'nn.matmul' needs (rule 'whole-kernel')}}
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

// The inner steps leave out the last column of the outer tile.
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ua = %a[%i * 2, %k * 3] [2, 3] in "L2" address 0 : memref<4x6xi8>,
          %ub = %b[%k * 3, 0] [3, 4] in "L2" address 8 : memref<6x4xi8>)
      outs(%uo = %o[%i * 2, 0] [2, 4] in "L2" address 24 : memref<4x4xi32>) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    hier.grid (%j, %m) in [2, 2]
        ins(%ta = %ua[0, %m] [2, 1] in "L1" address 0 : memref<2x3xi8, "L2">,
            %tb = %ub[%m, %j * 2] [1, 2] in "L1" address 8 : memref<3x4xi8, "L2">)
        outs(%to = %uo[0, %j * 2] [2, 2] : memref<2x4xi32, "L2">) {
      // expected-error@+1 {{'nn.matmul' leaves out a point of the reduced loop d2 (rule 'whole-kernel')}}
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

// An inner tile's buffer lies on an outer one's.
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 2]
      ins(%ua = %a[%i * 2, %k * 3] [2, 3] in "L2" address 0 : memref<4x6xi8>,
          %ub = %b[%k * 3, 0] [3, 4] in "L2" address 8 : memref<6x4xi8>)
      outs(%uo = %o[%i * 2, 0] [2, 4] in "L2" address 24 : memref<4x4xi32>) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    // expected-error@+1 {{the buffers of operand 2 (%o) of the grid around and operand 1 (%ub) of the grid overlap in L2 (rule 'disjoint')}}
    hier.grid (%j, %m) in [2, 3]
        ins(%ta = %ua[0, %m] [2, 1] in "L1" address 0 : memref<2x3xi8, "L2">,
            %tb = %ub[%m, %j * 2] [1, 2] in "L2" address 28 : memref<3x4xi8, "L2">)
        outs(%to = %uo[0, %j * 2] [2, 2] : memref<2x4xi32, "L2">) {
      nn.matmul ins(%ta, %tb : memref<2x1xi8, "L1">, memref<1x2xi8, "L2">)
          outs(%to : memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">)
          {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
      hier.yield
    }
    hier.yield
  }
  func.return
}

// -----

// Of three taps on one padded row the second one alone adds to the sums, and is not done.
func.func @padded(%x: memref<1x1x1x6xi16>, %w: memref<2x1x3x3xi8>, %y: memref<1x2x1x3xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [3, 2]
      ins(%tx = %x[0, 0, %k * 2 - 1, %i * 2] [1, 1, 1, 3] in "L1" address 0 fill 0 : i16 : memref<1x1x1x6xi16>,
          %tw = %w[0, 0, %k * 2, 0] [2, 1, 1, 3] in "L1" address 16 : memref<2x1x3x3xi8>)
      outs(%ty = %y[0, 0, 0, %i] [1, 2, 1, 1] in "L1" address 32 : memref<1x2x1x3xi32>) {
    hier.first %k { linalg.fill ins(%zero : i32) outs(%ty : memref<1x2x1x1xi32, "L1">) }
    // expected-error@+1 {{'nn.conv' leaves out a point of the reduced loop d6 (rule 'whole-kernel')}}
    nn.conv ins(%tx, %tw : memref<1x1x1x3xi16, "L1">, memref<2x1x1x3xi8, "L1">) outs(%ty : memref<1x2x1x1xi32, "L1">) {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 1, 1, 2, 1, 3, 1, 3, 3>, maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, (((d3 * 2) + d6) + -1), ((d4 * 2) + d7))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d2, d3, d4)>], fills = [0 : i16, unit, unit], shapes = [array<i64: 1, 1, 1, 6>, array<i64: 2, 1, 3, 3>, array<i64: 1, 2, 1, 3>]}}
    hier.yield
  }
  func.return
}

// -----

// Each sum is of the window after its own.
func.func @window(%x: memref<2x1x4xi8>, %y: memref<2x1x5xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [5, 2]
      ins(%tx = %x[0, 0, %i + %k] [2, 1, 1] in "L1" address 0 fill 0 : i8 : memref<2x1x4xi8>)
      outs(%ty = %y[0, 0, %i] [2, 1, 1] in "L1" address 8 : memref<2x1x5xi8>)
      scratch(%sum : memref<2x1x1xi32, "L1"> address 16) {
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<2x1x1xi32, "L1">) }
    nn.pool ins(%tx : memref<2x1x1xi8, "L1">) outs(%sum : memref<2x1x1xi32, "L1">) {strides = array<i64: 1>, dilations = array<i64: 1>, pads = array<i64: 0, 0>, window = array<i64: 1>, kind = "sum", accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 2, 1, 5, 2>, maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, ((d2 + d3) + -1))>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], fills = [0 : i8, unit], shapes = [array<i64: 2, 1, 4>, array<i64: 2, 1, 5>]}}
    hier.last %k {
      // expected-error@+1 {{scratch 0 (%sum) of the grid is not the tile that 'linalg.generic' needs (rule 'whole-kernel')}}
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

// -----

// The window begins where its end should.
func.func @window(%x: memref<2x1x4xi8>, %y: memref<2x1x5xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [5, 2]
      ins(%tx = %x[0, 0, %i - %k] [2, 1, 1] in "L1" address 0 fill 0 : i8 : memref<2x1x4xi8>)
      outs(%ty = %y[0, 0, %i] [2, 1, 1] in "L1" address 8 : memref<2x1x5xi8>)
      scratch(%sum : memref<2x1x1xi32, "L1"> address 16) {
    hier.first %k { linalg.fill ins(%zero : i32) outs(%sum : memref<2x1x1xi32, "L1">) }
    // expected-error@+1 {{'nn.pool' leaves out a point of the reduced loop d3 (rule 'whole-kernel')}}
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
