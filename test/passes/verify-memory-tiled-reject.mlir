// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// The sums begin anew at each step.
func.func @reduction(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2 - 1)> in "L1" address 0 stages 2 fill 0 : i8>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 32>] {
  ^bb0(%i: index, %k: index, %ta: memref<2x2xi8, "L1">, %tb: memref<2x4xi8, "L1">, %to: memref<2x4xi8, "L1">,
      %sum: memref<2x4xi32, "L1">):
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
  // expected-error@+1 {{the buffers of operand 2 (%o) and scratch 0 (%sum) of the grid overlap in L1 (rule 'apart')}}
  hier.grid [2, 3] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 2] at affine_map<(d0, d1) -> (d0 * 2, d1 * 2)> in "L1" address 0 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi32, "L1"> address 28>] {
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

// The intermediate is read before it is made.
func.func @fused(%a: memref<6x4xi8>, %w: memref<4x3xi8>, %o: memref<6x3xi32> {tilewright.output}) {
  hier.grid [3] ins(%a, %w : memref<6x4xi8>, memref<4x3xi8>) outs(%o : memref<6x3xi32>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 0>,
             #hier.tile<[4, 3] at affine_map<(d0) -> (0, 0)> in "L1" address 8>,
             #hier.tile<[2, 3] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi8, "L1"> address 48>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tw: memref<4x3xi8, "L1">, %to: memref<2x3xi32, "L1">,
      %mid: memref<2x4xi8, "L1">):
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
  hier.grid [3] ins(%a, %w : memref<6x4xi8>, memref<4x3xi8>) outs(%o : memref<6x3xi32>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 0>,
             #hier.tile<[4, 3] at affine_map<(d0) -> (0, 0)> in "L1" address 8>,
             #hier.tile<[2, 3] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 24>]
      scratch [#hier.scratch<memref<2x4xi8, "L1"> address 48>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tw: memref<4x3xi8, "L1">, %to: memref<2x3xi32, "L1">,
      %mid: memref<2x4xi8, "L1">):
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
  hier.grid [3] ins(%a, %w : memref<6x4xi8>, memref<4x3xi8>) outs(%o : memref<6x3xi32>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2 + 1, 0)> in "L1" address 0 fill 0 : i8>,
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
  hier.grid [2] ins(%a : memref<4x4xi8>) outs(%t : memref<4x4xi8, "L1">)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 16 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)>>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tt: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">):
    "memref.copy"(%ta, %tt) : (memref<2x4xi8, "L1">, memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">) -> ()
    hier.yield
  }
  // expected-error@+1 {{a view of operand 0 (%t) of the grid leaves it (rule 'inside')}}
  hier.grid [2] ins(%t : memref<4x4xi8, "L1">) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2 + 1, 0)>>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 24>] {
  ^bb0(%i: index, %ts: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, %to: memref<2x4xi8, "L1">):
    "memref.copy"(%ts, %to) : (memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}

// -----

// The views leave out the last rows.
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 0 : i64} : memref<4x4xi8, "L1">
  // expected-error@+1 {{an element of operand 1 (%t) of the grid is in no tile (rule 'written-once')}}
  hier.grid [2] ins(%a : memref<4x4xi8>) outs(%t : memref<4x4xi8, "L1">)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 16 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0, 0)>>] {
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

// The buffer lies on the second grid's tile, and clear of the first one's.
func.func @resident(%a: memref<4x4xi8>, %o: memref<4x4xi8> {tilewright.output}) {
  %t = memref.alloc() {hier.address = 32 : i64} : memref<4x4xi8, "L1">
  hier.grid [2] ins(%a : memref<4x4xi8>) outs(%t : memref<4x4xi8, "L1">)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 16 stages 2>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)>>] {
  ^bb0(%i: index, %ta: memref<2x4xi8, "L1">, %tt: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">):
    "memref.copy"(%ta, %tt) : (memref<2x4xi8, "L1">, memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">) -> ()
    hier.yield
  }
  // expected-error@+1 {{the buffers of %t and operand 1 (%o) of the grid overlap in L1 (rule 'apart')}}
  hier.grid [2] ins(%t : memref<4x4xi8, "L1">) outs(%o : memref<4x4xi8>)
      tiles [#hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)>>,
             #hier.tile<[2, 4] at affine_map<(d0) -> (d0 * 2, 0)> in "L1" address 40>] {
  ^bb0(%i: index, %ts: memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, %to: memref<2x4xi8, "L1">):
    "memref.copy"(%ts, %to) : (memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) -> ()
    hier.yield
  }
  func.return
}

// -----

// The outer tile's sums begin anew at each step.
func.func @nested(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi32>)
      tiles [#hier.tile<[2, 3] at affine_map<(d0, d1) -> (d0 * 2, d1 * 3)> in "L2" address 0>,
             #hier.tile<[3, 4] at affine_map<(d0, d1) -> (d1 * 3, 0)> in "L2" address 8>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L2" address 24>] {
  ^bb0(%i: index, %k: index, %ua: memref<2x3xi8, "L2">, %ub: memref<3x4xi8, "L2">, %uo: memref<2x4xi32, "L2">):
    linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    hier.grid [2, 3] ins(%ua, %ub : memref<2x3xi8, "L2">, memref<3x4xi8, "L2">) outs(%uo : memref<2x4xi32, "L2">)
        tiles [#hier.tile<[2, 1] at affine_map<(d0, d1) -> (0, d1)> in "L1" address 0>,
               #hier.tile<[1, 2] at affine_map<(d0, d1) -> (d1, d0 * 2)> in "L1" address 8>,
               #hier.tile<[2, 2] at affine_map<(d0, d1) -> (0, d0 * 2)>>] {
    ^bb1(%j: index, %m: index, %ta: memref<2x1xi8, "L1">, %tb: memref<1x2xi8, "L1">,
        %to: memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">):
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
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi32>)
      tiles [#hier.tile<[2, 3] at affine_map<(d0, d1) -> (d0 * 2, d1 * 3)> in "L2" address 0>,
             #hier.tile<[3, 4] at affine_map<(d0, d1) -> (d1 * 2, 0)> in "L2" address 8>,
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
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi32>)
      tiles [#hier.tile<[2, 3] at affine_map<(d0, d1) -> (d0 * 2, d1 * 3)> in "L2" address 0>,
             #hier.tile<[3, 4] at affine_map<(d0, d1) -> (d1 * 3, 0)> in "L2" address 8>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L2" address 24>] {
  ^bb0(%i: index, %k: index, %ua: memref<2x3xi8, "L2">, %ub: memref<3x4xi8, "L2">, %uo: memref<2x4xi32, "L2">):
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    hier.grid [2, 2] ins(%ua, %ub : memref<2x3xi8, "L2">, memref<3x4xi8, "L2">) outs(%uo : memref<2x4xi32, "L2">)
        tiles [#hier.tile<[2, 1] at affine_map<(d0, d1) -> (0, d1)> in "L1" address 0>,
               #hier.tile<[1, 2] at affine_map<(d0, d1) -> (d1, d0 * 2)> in "L1" address 8>,
               #hier.tile<[2, 2] at affine_map<(d0, d1) -> (0, d0 * 2)>>] {
    ^bb1(%j: index, %m: index, %ta: memref<2x1xi8, "L1">, %tb: memref<1x2xi8, "L1">,
        %to: memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">):
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
  hier.grid [2, 2] ins(%a, %b : memref<4x6xi8>, memref<6x4xi8>) outs(%o : memref<4x4xi32>)
      tiles [#hier.tile<[2, 3] at affine_map<(d0, d1) -> (d0 * 2, d1 * 3)> in "L2" address 0>,
             #hier.tile<[3, 4] at affine_map<(d0, d1) -> (d1 * 3, 0)> in "L2" address 8>,
             #hier.tile<[2, 4] at affine_map<(d0, d1) -> (d0 * 2, 0)> in "L2" address 24>] {
  ^bb0(%i: index, %k: index, %ua: memref<2x3xi8, "L2">, %ub: memref<3x4xi8, "L2">, %uo: memref<2x4xi32, "L2">):
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%uo : memref<2x4xi32, "L2">)
    }
    // expected-error@+1 {{the buffers of operand 2 (%o) of the grid around and operand 1 (%ub) of the grid overlap in L2 (rule 'apart')}}
    hier.grid [2, 3] ins(%ua, %ub : memref<2x3xi8, "L2">, memref<3x4xi8, "L2">) outs(%uo : memref<2x4xi32, "L2">)
        tiles [#hier.tile<[2, 1] at affine_map<(d0, d1) -> (0, d1)> in "L1" address 0>,
               #hier.tile<[1, 2] at affine_map<(d0, d1) -> (d1, d0 * 2)> in "L2" address 28>,
               #hier.tile<[2, 2] at affine_map<(d0, d1) -> (0, d0 * 2)>>] {
    ^bb1(%j: index, %m: index, %ta: memref<2x1xi8, "L1">, %tb: memref<1x2xi8, "L2">,
        %to: memref<2x2xi32, strided<[4, 1], offset: ?>, "L2">):
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
  hier.grid [3, 2] ins(%x, %w : memref<1x1x1x6xi16>, memref<2x1x3x3xi8>) outs(%y : memref<1x2x1x3xi32>)
      tiles [#hier.tile<[1, 1, 1, 3] at affine_map<(d0, d1) -> (0, 0, d1 * 2 - 1, d0 * 2)> in "L1" address 0 fill 0 : i16>,
             #hier.tile<[2, 1, 1, 3] at affine_map<(d0, d1) -> (0, 0, d1 * 2, 0)> in "L1" address 16>,
             #hier.tile<[1, 2, 1, 1] at affine_map<(d0, d1) -> (0, 0, 0, d0)> in "L1" address 32>] {
  ^bb0(%i: index, %k: index, %tx: memref<1x1x1x3xi16, "L1">, %tw: memref<2x1x1x3xi8, "L1">,
      %ty: memref<1x2x1x1xi32, "L1">):
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
  hier.grid [5, 2] ins(%x : memref<2x1x4xi8>) outs(%y : memref<2x1x5xi8>)
      tiles [#hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0 + d1)> in "L1" address 0 fill 0 : i8>,
             #hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0)> in "L1" address 8>]
      scratch [#hier.scratch<memref<2x1x1xi32, "L1"> address 16>] {
  ^bb0(%i: index, %k: index, %tx: memref<2x1x1xi8, "L1">, %ty: memref<2x1x1xi8, "L1">, %sum: memref<2x1x1xi32, "L1">):
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
  hier.grid [5, 2] ins(%x : memref<2x1x4xi8>) outs(%y : memref<2x1x5xi8>)
      tiles [#hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0 - d1)> in "L1" address 0 fill 0 : i8>,
             #hier.tile<[2, 1, 1] at affine_map<(d0, d1) -> (0, 0, d0)> in "L1" address 8>]
      scratch [#hier.scratch<memref<2x1x1xi32, "L1"> address 16>] {
  ^bb0(%i: index, %k: index, %tx: memref<2x1x1xi8, "L1">, %ty: memref<2x1x1xi8, "L1">, %sum: memref<2x1x1xi32, "L1">):
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
