// RUN: opt-tool %s --split-input-file --verify-diagnostics -p verify-memory

// A part begins too early at all steps but the first.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 1 : index
    %at = arith.muli %k, %by : index
    %part = memref.subview %ta[0, %at] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    // expected-error@+1 {{operand 1 (%b) of the grid is not the tile that 'nn.matmul' needs (rule 'whole-kernel')}}
    nn.matmul ins(%part, %tb : memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// The parts of the last step lie beyond the panel.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 3 : index
    %at = arith.muli %k, %by : index
    // expected-error@+1 {{a view of operand 0 (%a) of the grid leaves it (rule 'inside')}}
    %part = memref.subview %ta[0, %at] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%part, %tb : memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// Every second element is no tile.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 2 : index
    %at = arith.muli %k, %by : index
    // expected-error@+1 {{nothing tells which part a view is (rule 'whole-kernel')}}
    %part = memref.subview %ta[0, %at] [2, 2] [1, 2] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 2], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%part, %tb : memref<2x2xi8, strided<[6, 2], offset: ?>, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// The index is no affine form of the grid point.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 2 : index
    %at = arith.remui %k, %by : index
    // expected-error@+1 {{nothing tells which part a view is (rule 'whole-kernel')}}
    %part = memref.subview %ta[0, %at] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%part, %tb : memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">, memref<2x4xi8, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}

// -----

// Nothing proves that parts make up the tile.
func.func @written(%a: memref<4x6xi8>, %o: memref<4x6xi8> {tilewright.output}) {
  hier.grid (%i) in [2]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>)
      outs(%to = %o[%i * 2, 0] [2, 6] in "L1" address 16 : memref<4x6xi8>) {
    %part = memref.subview %to[0, 0] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1]>, "L1">
    %zero = arith.constant 0 : i8
    // expected-error@+1 {{'linalg.fill' writes a part of operand 1 (%o) of the grid (rule 'complete')}}
    linalg.fill ins(%zero : i8) outs(%part : memref<2x2xi8, strided<[6, 1]>, "L1">)
    hier.yield
  }
  func.return
}

// -----

// Another view than a subview.
func.func @product(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi32> {tilewright.output}) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, 0] [2, 6] in "L1" address 0 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] in "L1" address 24 : memref<4x4xi32>) {
    %by = arith.constant 2 : index
    %at = arith.muli %k, %by : index
    %part = memref.subview %ta[0, %at] [2, 2] [1, 1] : memref<2x6xi8, "L1"> to memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%to : memref<2x4xi32, "L1">)
    }
    %own = memref.cast %tb : memref<2x4xi8, "L1"> to memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">
    // expected-error@+1 {{nothing tells what operand 1 (%own) holds (rule 'whole-kernel')}}
    nn.matmul ins(%part, %own : memref<2x2xi8, strided<[6, 1], offset: ?>, "L1">, memref<2x4xi8, strided<[4, 1], offset: ?>, "L1">) outs(%to : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.yield
  }
  func.return
}
